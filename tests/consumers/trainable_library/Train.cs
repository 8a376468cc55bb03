// SPDX-License-Identifier: MIT
// Trains by P/Invoke, with a callback, and from a finalizer's thread.
using System;
using System.Runtime.InteropServices;
using System.Threading;

static class Nets {
  [StructLayout(LayoutKind.Sequential)]
  public struct Rows {
    public UIntPtr Count;
    public IntPtr Inputs, Labels, Targets, Weights;
  }
  [StructLayout(LayoutKind.Sequential)]
  public struct Epoch {
    public int Number;
    public double TrainLoss, ValidationLoss, ValidationAccuracy, Seconds, LearningRate;
  }
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  public delegate int OnEpoch(IntPtr context, ref Epoch epoch);
  [StructLayout(LayoutKind.Sequential)]
  public struct FitOptions {
    public UIntPtr BatchSize;
    public int Epochs, Shuffle, DropLast, Patience;
    public double LeastGain;
    public int RestoreBest;
    public IntPtr Validation;
    public UIntPtr HeldOutFirst, HeldOutCount;
    [MarshalAs(UnmanagedType.FunctionPtr)]
    public OnEpoch Told;
    public IntPtr Context;
  }
  const string Library = "libnets.so";
  [DllImport(Library)] public static extern uint nets_interface();
  [DllImport(Library)] public static extern IntPtr nets_error();
  [DllImport(Library)] public static extern int nets_create(string network, string device, ulong seed, out IntPtr made);
  [DllImport(Library)] public static extern void nets_destroy(IntPtr network);
  [DllImport(Library)] public static extern int nets_trainer_create(IntPtr network, string loss, string optimizer, string schedule,
                                                                   out IntPtr made);
  [DllImport(Library)] public static extern void nets_trainer_destroy(IntPtr trainer);
  [DllImport(Library)] public static extern void nets_fit_defaults(out FitOptions options);
  [DllImport(Library)] public static extern int nets_fit(IntPtr trainer, ref Rows rows, ref FitOptions options);
  [DllImport(Library)] public static extern int nets_evaluate(IntPtr network, string loss, ref Rows rows, out double meanLoss,
                                                             out double accuracy);
  [DllImport(Library)] public static extern int nets_predict(IntPtr network, float[] x, UIntPtr rows, float[] y);

  public static void Must(int code) {
    if (code != 0) throw new InvalidOperationException(Marshal.PtrToStringAnsi(nets_error()));
  }
}

sealed class Classifier {
  readonly IntPtr network, trainer;
  public Classifier(string device) {
    Nets.Must(Nets.nets_create("Disc", device, 1, out network));
    Nets.Must(Nets.nets_trainer_create(network, "CrossEntropyLoss", "Adam(lr=0.05)", null, out trainer));
  }
  ~Classifier() {
    Nets.nets_destroy(network);
    Nets.nets_trainer_destroy(trainer);
  }
  public double Fit(Nets.Rows rows, int epochs, Nets.OnEpoch told) {
    Nets.FitOptions options;
    Nets.nets_fit_defaults(out options);
    options.Epochs = epochs;
    options.Told = told;
    Nets.Must(Nets.nets_fit(trainer, ref rows, ref options));
    double loss, accuracy;
    Nets.Must(Nets.nets_evaluate(network, "CrossEntropyLoss", ref rows, out loss, out accuracy));
    return accuracy;
  }
  public float[] Predict(float[] x) {
    var y = new float[x.Length];
    Nets.Must(Nets.nets_predict(network, x, (UIntPtr)(x.Length / 2), y));
    return y;
  }
}

static class Program {
  static int Main() {
    if (Nets.nets_interface() != 5) return 1;
    var x = new float[400];
    var labels = new int[200];
    for (int i = 0; i < 400; ++i) x[i] = i * 37 % 101 / 50f - 1;
    for (int i = 0; i < 200; ++i) labels[i] = x[2 * i] > x[2 * i + 1] ? 1 : 0;
    GCHandle inputs = GCHandle.Alloc(x, GCHandleType.Pinned), wanted = GCHandle.Alloc(labels, GCHandleType.Pinned);
    var rows = new Nets.Rows { Count = (UIntPtr)200, Inputs = inputs.AddrOfPinnedObject(), Labels = wanted.AddrOfPinnedObject() };

    int told = 0;
    var classifier = new Classifier("host");
    double accuracy = classifier.Fit(rows, 20, (IntPtr context, ref Nets.Epoch epoch) => {
      if (epoch.Number != ++told || epoch.LearningRate != 0.05) Environment.Exit(2);
      return 0;
    });
    if (told != 20 || accuracy < 0.95) return 3;

    // Many at once, in threads, which the garbage collector destroys.
    float[] first = classifier.Predict(x);
    bool same = true;
    var threads = new Thread[4];
    for (int t = 0; t < threads.Length; ++t) {
      threads[t] = new Thread(() => {
        for (int i = 0; i < 20; ++i) {
          var own = new Classifier("host");
          own.Fit(rows, 20, null);
          float[] y = own.Predict(x);
          for (int k = 0; k < y.Length; ++k) same &= y[k] == first[k];
        }
      });
      threads[t].Start();
    }
    foreach (Thread thread in threads) thread.Join();
    GC.Collect();
    GC.WaitForPendingFinalizers();
    if (!same) return 4;
    try {
      new Classifier("toaster");
      return 5;
    } catch (InvalidOperationException refused) {
      if (!refused.Message.Contains("the device \"toaster\" is not known")) return 6;
    }
    inputs.Free();
    wanted.Free();
    Console.WriteLine("C#: trained");
    return 0;
  }
}
