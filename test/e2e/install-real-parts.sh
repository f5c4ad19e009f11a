#!/usr/bin/env bash
# Installs what the tests with real parts need, on Debian and Ubuntu, as root: QEMU (TCG, no KVM is needed), libvirt
# without libvirt-daemon-system, which would bring systemd, nasm, which assembles the guest's boot sector, ip, ss and nft
# for networks of their own, openssl as a foreign peer, and what makes namespaces.
# Starts nothing. What is there already is left as it is.
set -euo pipefail

declare -A packages=(
  [qemu-system-x86_64]=qemu-system-x86
  [libvirtd]="libvirt-daemon libvirt-daemon-driver-qemu"
  [virsh]=libvirt-clients
  [nasm]=nasm
  [ip]=iproute2
  [ss]=iproute2
  [nft]=nftables
  [openssl]=openssl
  [setpriv]=util-linux
)
missing=()
for program in "${!packages[@]}"; do
  command -v "$program" > /dev/null || missing+=(${packages[$program]})
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "QEMU, libvirt and the tools of the tests are installed"
  exit
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
echo "installed: $(qemu-system-x86_64 --version | head -n 1), $(libvirtd --version), $(nasm -v)"
