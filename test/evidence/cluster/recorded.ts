import type { ApiRequest, Cluster } from '../../../src/cluster/cluster.ts'

export interface Recorded {
  cluster: Cluster
  requests: ApiRequest[]
}

/** A cluster that remembers what it was asked. */
export function recorded(cluster: Cluster): Recorded {
  const requests: ApiRequest[] = []
  const seen = <T>(ask: (request: ApiRequest) => Promise<T>) => {
    return (request: ApiRequest) => {
      requests.push(request)
      return ask(request)
    }
  }
  const { server, context, namespace } = cluster
  return {
    requests,
    cluster: {
      server,
      context,
      namespace,
      request: seen((request) => cluster.request(request)) as Cluster['request'],
      text: seen((request) => cluster.text(request)),
      stream: seen((request) => cluster.stream(request)),
      upgrade: (request, protocols) => {
        requests.push(request)
        return cluster.upgrade(request, protocols)
      },
      close: () => cluster.close(),
      [Symbol.asyncDispose]: () => cluster.close(),
    },
  }
}
