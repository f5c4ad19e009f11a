#!/usr/bin/env bash
# Builds kube-apiserver, etcd and kubectl from the Go module proxy, once, into the cache outside the checkout, and prints
# the folder that holds them: export KUBEBUILDER_ASSETS="$(test/e2e/build-kube-apiserver.sh)". The first time takes minutes
# and downloads 1.3 GB of sources; after that it only looks. Without Go it says so and exits 3: nothing is printed, and
# the tests that need a real API server are skipped.
set -euo pipefail

kubernetes=v1.36.3
etcd=v3.6.16
staging=v0.${kubernetes#v1.}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kubectl-mig
assets=$cache/kube-apiserver-$kubernetes-etcd-$etcd
if [ -x "$assets/kube-apiserver" ] && [ -x "$assets/etcd" ] && [ -x "$assets/kubectl" ]; then
  echo "$assets"
  exit
fi
if ! command -v go >/dev/null; then
  echo "no Go on the PATH: kube-apiserver is not built (install Go 1.26 or newer, https://go.dev/dl)" >&2
  exit 3
fi

mkdir -p "$cache"
# Built beside its place, on the same file system, and moved there whole: an interrupted build leaves nothing half done.
work=$(mktemp -d "$cache/building-XXXXXX")
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0 GOFLAGS=-mod=mod GOWORK=off
say() { echo "$*" >&2; }

# A module of its own that requires one tool, and its package built: build MODULE-FOLDER PACKAGE@VERSION [go build flags]
build() {
  local folder=$work/$1 package=${2%@*} name
  name=$(basename "${package%/v[0-9]}")
  [ "$1" = etcd ] && name=etcd
  (
    cd "$folder"
    nice go get -tool "$2"
    nice go build "${@:3}" -o "$work/bin/$name" "$package"
  ) >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

mkdir "$work/bin" "$work/kubernetes" "$work/etcd"
say "downloading Kubernetes $kubernetes …"
source=$(cd "$work" && go mod download -json "k8s.io/kubernetes@$kubernetes" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
{
  echo "module kube-apiserver"
  # Its staging modules are required as v0.0.0, which is nowhere to be had; they are published with versions of their own.
  sed -n "s|^\t\(k8s.io/[a-z0-9-]*\) v0\.0\.0\( //.*\)\?$|replace \1 => \1 $staging|p" "$source"
} >"$work/kubernetes/go.mod"
echo "module etcd" >"$work/etcd/go.mod"

say "building kube-apiserver and kubectl $kubernetes (about 4 minutes on 2 cores) …"
# Clients parse the version, and a build without one says v0.0.0-master+$Format:%H$.
version=k8s.io/component-base/version
flags="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=$(cut -d. -f2 <<<"$kubernetes")"
for program in kube-apiserver kubectl; do
  build kubernetes "k8s.io/kubernetes/cmd/$program@$kubernetes" -ldflags "$flags"
done
say "building etcd $etcd …"
build etcd "go.etcd.io/etcd/server/v3@$etcd" -ldflags '-s -w'

rm -rf "$assets"
mv "$work/bin" "$assets"
echo "$assets"
