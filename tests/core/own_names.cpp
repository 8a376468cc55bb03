// SPDX-License-Identifier: MIT
// labels: optimised
// A program's own types may have these names despite `using namespace sinter`, which brings in only what users write.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "sinter/inference.hpp"
#include "sinter/io.hpp"
#include "sinter/sinter.hpp"

using namespace sinter;

// clang-format off
#define OWN_NAMES(X) \
  X(Account) X(Action) X(Agent) X(Arena) X(Batch) X(Block) X(Book) X(Buffer) X(Button) X(Cache) X(Camera) X(Cell) X(Channel) \
  X(Circle) X(Client) X(Clock) X(Color) X(Column) X(Config) X(Curve) X(Edge) X(Entity) X(Entry) X(Envelope) X(Environment) \
  X(Episode) X(Event) X(Field) X(File) X(Filter) X(Font) X(Frame) X(Game) X(Gate) X(Generator) X(Goal) X(Graph) X(Grid) \
  X(Image) X(Item) X(Job) X(Joint) X(Key) X(Labels) X(Layer) X(Light) X(Line) X(Logger) X(Lookup) X(Map) \
  X(Market) X(Mask) X(Matrix) X(Menu) X(Mesh) X(Message) X(Metadata) X(Model) X(Motor) X(Multiply) X(Net) X(Node) X(Note) \
  X(Op) X(Options) X(Order) X(Oscillator) X(Pack) X(Packet) X(Panel) X(Parameter) X(Place) X(Player) X(Point) X(Policy) \
  X(Pool) X(Portfolio) X(Pose) X(Position) X(Price) X(Program) X(Queue) X(Quote) X(Random) X(Record) X(Rect) X(Request) \
  X(Response) X(Result) X(Reward) X(Robot) X(Row) X(Sample) X(Scale) X(Scene) X(Schedule) X(Sensor) X(Server) X(Session) \
  X(Settings) X(Signal) X(Socket) X(Sound) X(Source) X(Stage) X(Stages) X(Start) X(State) X(Statistics) X(Status) \
  X(Strict) X(Table) X(Task) X(Terminal) X(Text) X(Texture) X(Thread) X(Tile) X(Timer) X(Totals) X(Trade) X(Transition) \
  X(Tree) X(Validation) X(Value) X(Vector) X(Voice) X(Window) X(Wire) X(Words) X(World)
// clang-format on

#define DECLARE(name) \
  struct name {};
OWN_NAMES(DECLARE)
#define LISTED(name) name,
using All = std::tuple<OWN_NAMES(LISTED) int>;

// Functions of the program's own, whose parameters its arguments are converted to.
int load(State&, const std::string&) { return 1; }
int load(const std::string&) { return 2; }
int save(const State&, const std::string&) { return 3; }
int fit(const std::vector<double>&, const std::vector<double>&, long) { return 4; }
int predict(const State&, const std::vector<double>&) { return 5; }
int evaluate(const Position&, long) { return 6; }
int score(const std::vector<int>&, const std::vector<int>&) { return 7; }

struct Digits : Sequential<Input<2>, Linear<3>> {};

TEST_CASE("a hundred and more names of a program's own") {
  static_assert(std::tuple_size_v<All> > 100);
  const Network<Digits> net;
  CHECK(net.parameters().size() == 2);
}

TEST_CASE("functions of a program's own with names of ours") {
  State state;
  std::vector<double> x;
  std::vector<int> y;
  CHECK(load(state, "state.bin") == 1);
  CHECK(load("settings.ini") == 2);
  CHECK(save(state, "state.bin") == 3);
  CHECK(fit(x, x, 2) == 4);
  CHECK(predict(state, x) == 5);
  CHECK(evaluate(Position{}, 3) == 6);
  CHECK(score(y, y) == 7);
}
