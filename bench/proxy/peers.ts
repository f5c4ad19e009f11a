import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'

/** What a proxy under measurement is told. */
export interface Wiring {
  /** Of the measurement, with the certificates in it. */
  dir: string
  tls: boolean
  /** Where the source listens. */
  source: string
  /** Where the sink listens. */
  sink: string
  /** TCP port of the target, on loopback; only for those who can't choose one themselves. */
  port: number
}

export interface Peer {
  name: string
  /** Why it can't be measured, if so. */
  missing(wiring: Pick<Wiring, 'tls'>): string | undefined
  /** argv of both sides. Ours starts the target first and reads its port map. */
  argv(wiring: Wiring): { target: string[]; source: string[] }
}

export const PEERS: Peer[] = [
  {
    name: 'haproxy',
    missing: () => needs('haproxy'),
    argv: (w) => ({
      target: ['haproxy', '-db', '-f', write(w, 'haproxy-target.cfg', haproxyTarget(w))],
      source: ['haproxy', '-db', '-f', write(w, 'haproxy-source.cfg', haproxySource(w))],
    }),
  },
  {
    name: 'nginx',
    missing: () =>
      needs('nginx') ??
      (existsSync(NGINX_STREAM)
        ? undefined
        : 'its stream module (libnginx-mod-stream) is not installed'),
    argv: (w) => ({
      target: ['nginx', '-c', write(w, 'nginx-target.conf', nginx(w, 'target'))],
      source: ['nginx', '-c', write(w, 'nginx-source.conf', nginx(w, 'source'))],
    }),
  },
  {
    name: 'stunnel',
    missing: ({ tls }) => (tls ? needs('stunnel') : 'it always speaks TLS'),
    argv: (w) => ({
      target: ['stunnel', write(w, 'stunnel-target.conf', stunnelTarget(w))],
      source: ['stunnel', write(w, 'stunnel-source.conf', stunnelSource(w))],
    }),
  },
  {
    name: 'socat',
    missing: () => needs('socat'),
    argv: (w) => ({
      target: ['socat', '-b65536', socatTarget(w), `UNIX-CONNECT:${w.sink}`],
      source: ['socat', '-b65536', `UNIX-LISTEN:${w.source},fork,backlog=64`, socatSource(w)],
    }),
  },
]

function needs(command: string): string | undefined {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0
    ? undefined
    : 'it is not installed'
}

function write({ dir }: Wiring, name: string, text: string): string {
  writeFileSync(`${dir}/${name}`, text)
  return `${dir}/${name}`
}

const HAPROXY = `global
  nbthread 1
  tune.bufsize 65536
  ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256
  ssl-default-server-ciphersuites TLS_AES_128_GCM_SHA256
defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen l
`

function haproxyTarget({ dir, tls, port, sink }: Wiring): string {
  const secure = `ssl crt ${dir}/server.pem ca-file ${dir}/ca.pem verify required`
  return `${HAPROXY}  bind 127.0.0.1:${port} ${tls ? secure : ''}\n  server s unix@${sink}\n`
}

function haproxySource({ dir, tls, port, source }: Wiring): string {
  const secure = `ssl crt ${dir}/client.pem ca-file ${dir}/ca.pem verify required`
  return `${HAPROXY}  bind unix@${source}\n  server s 127.0.0.1:${port} ${tls ? secure : ''}\n`
}

const NGINX_STREAM = '/usr/lib/nginx/modules/ngx_stream_module.so'

function nginx({ dir, tls, port, source, sink }: Wiring, side: 'target' | 'source'): string {
  const server =
    side === 'target'
      ? `listen 127.0.0.1:${port} ${tls ? 'ssl' : ''}; proxy_pass unix:${sink};
    ${tls ? `ssl_certificate ${dir}/server.pem; ssl_certificate_key ${dir}/server.pem; ssl_client_certificate ${dir}/ca.pem; ssl_verify_client on;` : ''}`
      : `listen unix:${source}; proxy_pass 127.0.0.1:${port};
    ${tls ? `proxy_ssl on; proxy_ssl_certificate ${dir}/client.pem; proxy_ssl_certificate_key ${dir}/client.pem; proxy_ssl_trusted_certificate ${dir}/ca.pem; proxy_ssl_verify on; proxy_ssl_name virt-handler; proxy_ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;` : ''}`
  return `load_module ${NGINX_STREAM};
daemon off;
user root;
worker_processes 1;
pid ${dir}/nginx-${side}.pid;
error_log stderr error;
events { worker_connections 256; }
stream { proxy_buffer_size 64k; server { ${server} } }
`
}

const STUNNEL =
  'foreground = yes\nsyslog = no\npid =\ndebug = err\nciphersuites = TLS_AES_128_GCM_SHA256\nverifyChain = yes\n'

function stunnelTarget({ dir, port, sink }: Wiring): string {
  return `${STUNNEL}CAfile = ${dir}/ca.pem\ncert = ${dir}/server.pem\n[t]\naccept = 127.0.0.1:${port}\nconnect = ${sink}\n`
}

function stunnelSource({ dir, port, source }: Wiring): string {
  return `${STUNNEL}CAfile = ${dir}/ca.pem\ncert = ${dir}/client.pem\n[s]\nclient = yes\naccept = ${source}\nconnect = 127.0.0.1:${port}\n`
}

function socatTarget({ dir, tls, port }: Wiring): string {
  const listen = 'bind=127.0.0.1,reuseaddr,fork,nodelay,backlog=64'
  return tls
    ? `OPENSSL-LISTEN:${port},${listen},cert=${dir}/server.pem,cafile=${dir}/ca.pem,verify=1`
    : `TCP-LISTEN:${port},${listen}`
}

function socatSource({ dir, tls, port }: Wiring): string {
  return tls
    ? `OPENSSL:127.0.0.1:${port},nodelay,cert=${dir}/client.pem,cafile=${dir}/ca.pem,verify=1,commonname=kubevirt.io:system:node:virt-handler`
    : `TCP:127.0.0.1:${port},nodelay`
}
