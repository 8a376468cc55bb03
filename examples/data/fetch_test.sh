#!/bin/sh
# SPDX-License-Identifier: MIT
# fetch_test.sh FOLDER: tests `fetch` with small files at file:// addresses, with checksums of their own. No network.
set -eu
command -v curl > /dev/null || { echo "skipped: no curl"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1/home" "$1/bad" "$1/cut" "$1/cifar-10-batches-bin" "$1/script"
cd "$1"
cp "$here/fetch" script/
names="train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte"
for name in $names; do
  seq 1 20000 | sed "s/^/$name /" > $name
  sha256sum $name
  gzip -nc $name > home/$name.gz
  echo "not the digits" | gzip -nc > bad/$name.gz
done > script/mnist.sha256
echo pictures > cifar-10-batches-bin/data_batch_1.bin
tar -czf home/cifar-10-binary.tar.gz cifar-10-batches-bin
(cd home && md5sum cifar-10-binary.tar.gz) > script/cifar10.md5

folder=file://$(pwd | sed 's/ /%20/g')
home=$folder/home bad=$folder/bad cut=$folder/cut nowhere=http://127.0.0.1:1
mnist() { SINTER_MNIST_URLS=$1 script/fetch mnist "$2" > log 2>&1; }
cifar10() { SINTER_CIFAR10_URLS=$1 script/fetch cifar10 "$2" > log 2>&1; }
expect() { grep -q -- "$1" log || { echo "no '$1' in:"; cat log; exit 1; }; }
refuse() { echo "$1"; cat log; exit 1; }
same() { for name in $names; do cmp $name "$1/mnist/$name"; done; }

mnist "$home" plain || refuse "a plain fetch failed"
same plain
[ -z "$(find plain -name '*part')" ] || refuse "parts were left behind"

mnist "$nowhere" plain || refuse "whole files were fetched again"
echo spoilt > plain/mnist/t10k-labels-idx1-ubyte
mnist "$home" plain || refuse "a spoilt file was not replaced"
same plain

mnist "$bad $home" second || refuse "a bad mirror was not passed over"
expect "wrong checksum"
same second

! mnist "$bad" third || refuse "a wrong checksum was accepted"
expect "no whole copy"
[ -z "$(find third -type f)" ] || refuse "a file with a wrong checksum was kept"

! mnist "$nowhere" fourth || refuse "succeeded without a network"
expect "no network"
expect "$nowhere"

mkdir -p resumed/mnist
for name in $names; do
  head -c 1000 home/$name.gz > resumed/mnist/$name.gz.part
  { head -c 1000 /dev/zero; tail -c +1001 home/$name.gz; } > cut/$name.gz  # only a resumed download is whole
done
mnist "$cut" resumed || refuse "an interrupted download was not resumed"
same resumed
mkdir -p complete/mnist
for name in $names; do cp home/$name.gz complete/mnist/$name.gz.part; done
mnist "$nowhere" complete || refuse "a complete part was not used"
same complete

for name in $names; do
  head -c "$(wc -c < home/$name.gz)" /dev/zero > complete/mnist/$name.gz.part
  rm complete/mnist/$name
done
mnist "$home" complete || refuse "a spoilt part was kept"
same complete

cifar10 "$home" plain || refuse "CIFAR-10 failed"
cmp cifar-10-batches-bin/data_batch_1.bin plain/cifar10/data_batch_1.bin
cifar10 "$nowhere" plain || refuse "whole CIFAR-10 was fetched again"
echo spoilt > plain/cifar10/data_batch_1.bin
cifar10 "$home" plain || refuse "spoilt CIFAR-10 was not replaced"
cmp cifar-10-batches-bin/data_batch_1.bin plain/cifar10/data_batch_1.bin
echo "0  cifar-10-binary.tar.gz" > script/cifar10.md5
! cifar10 "$home" second || refuse "a wrong CIFAR-10 was accepted"
expect "wrong checksum"

! script/fetch svhn plain > log 2>&1 || refuse "an unknown set was accepted"
expect "expected: mnist, cifar10 or all"
