/** What a lab reads from objects that no cluster has: how its guests behave and where its pods really listen. */
export const LAB_ANNOTATION = {
  /** VMI: bytes of memory that the guest writes a second, as a quantity ("20Mi"). */
  dirtyRate: 'lab.kubectl-mig.io/dirty-rate',
  /** Pod: JSON object from a port's number to the port that is really listened on. */
  ports: 'lab.kubectl-mig.io/ports',
} as const
