import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { type Informer, startInformer } from '../../cluster/informer.ts'
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  JOBS,
  NODES,
  PODS,
  REPLICA_SETS,
  type Resource,
  SERVICES,
} from '../../kubevirt/resources.ts'
import type { KubeObject, Node, Pod } from '../../kubevirt/types.ts'
import type { Job } from '../../rules/job.ts'
import type { Log } from '../controller/worker.ts'
import { startDaemonSetController } from './daemon-set-controller.ts'
import { startDeploymentController } from './deployment-controller.ts'
import { startEndpointController } from './endpoint-controller.ts'
import type { EndpointSlice, Service } from './endpoints.ts'
import { startJobController } from './job-controller.ts'
import { startReplicaSetController } from './replica-set-controller.ts'
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet } from './types.ts'

export interface WorkloadCaches {
  daemonSets: Informer<DaemonSet>
  deployments: Informer<Deployment>
  replicaSets: Informer<ReplicaSet>
  revisions: Informer<ControllerRevision>
  services: Informer<Service>
  slices: Informer<EndpointSlice>
  jobs: Informer<Job>
  nodes: Informer<Node>
  pods: Informer<Pod>
}

export interface WorkloadOptions {
  cluster: Cluster
  clock: Clock
  log: Log
}

export interface Workloads {
  close(): Promise<void>
}

/** The controllers of Kubernetes that make pods of templates and keep them up. Resolves when their caches are filled. */
export async function startWorkloads(options: WorkloadOptions): Promise<Workloads> {
  const { cluster, clock } = options
  const start = <T extends KubeObject>(resource: Resource) =>
    startInformer<T>(cluster, resource, { clock })
  const caches: WorkloadCaches = {
    daemonSets: start(DAEMON_SETS),
    deployments: start(DEPLOYMENTS),
    replicaSets: start(REPLICA_SETS),
    revisions: start(CONTROLLER_REVISIONS),
    services: start(SERVICES),
    slices: start(ENDPOINT_SLICES),
    jobs: start(JOBS),
    nodes: start(NODES),
    pods: start(PODS),
  }
  const informers = Object.values(caches)
  const workers = [
    startDaemonSetController({ ...options, caches }),
    startReplicaSetController({ ...options, caches }),
    startDeploymentController({ ...options, caches }),
    startEndpointController({ ...options, caches }),
    startJobController({ ...options, caches }),
  ]
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.close()))
    await Promise.all(informers.map((informer) => informer.close()))
  }
  try {
    await Promise.all(informers.map(({ synced }) => synced))
  } catch (err) {
    await close()
    throw err
  }
  return { close }
}
