/**
 * The messages that kubectl sends in protobuf (from 1.32 on, whatever it builds itself: reviews, evictions,
 * `create namespace` …): fields as `name=number:type`, the type string when none is named, `[]` for repeated ones and
 * `{}` for maps. Names and numbers are those of the generated.proto files of k8s.io/api and k8s.io/apimachinery 0.36.
 * An `int` of 0 is no value, an `int?` of 0 is one. What is not listed is not read.
 */
export const MESSAGES: Record<string, string> = {
  'v1 ConfigMap': 'metadata=1:ObjectMeta data=2:string{} binaryData=3:bytes{} immutable=4:bool',
  'v1 DeleteOptions':
    'gracePeriodSeconds=1:int? preconditions=2:Preconditions orphanDependents=3:bool propagationPolicy=4 dryRun=5:string[]',
  'v1 Namespace': 'metadata=1:ObjectMeta spec=2:NamespaceSpec',
  'v1 ResourceQuota': 'metadata=1:ObjectMeta spec=2:ResourceQuotaSpec',
  'v1 Secret': 'metadata=1:ObjectMeta data=2:bytes{} type=3 stringData=4:string{} immutable=5:bool',
  'v1 Service': 'metadata=1:ObjectMeta spec=2:ServiceSpec',
  'v1 ServiceAccount':
    'metadata=1:ObjectMeta secrets=2:ObjectReference[] imagePullSecrets=3:LocalObjectReference[] automountServiceAccountToken=4:bool',
  'policy/v1 Eviction': 'metadata=1:ObjectMeta deleteOptions=2:DeleteOptions',
  'policy/v1 PodDisruptionBudget': 'metadata=1:ObjectMeta spec=2:PodDisruptionBudgetSpec',
  'rbac.authorization.k8s.io/v1 ClusterRole':
    'metadata=1:ObjectMeta rules=2:PolicyRule[] aggregationRule=3:AggregationRule',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding':
    'metadata=1:ObjectMeta subjects=2:Subject[] roleRef=3:RoleRef',
  'rbac.authorization.k8s.io/v1 Role': 'metadata=1:ObjectMeta rules=2:PolicyRule[]',
  'rbac.authorization.k8s.io/v1 RoleBinding':
    'metadata=1:ObjectMeta subjects=2:Subject[] roleRef=3:RoleRef',
  'authorization.k8s.io/v1 SelfSubjectAccessReview':
    'metadata=1:ObjectMeta spec=2:SelfSubjectAccessReviewSpec',
  'authorization.k8s.io/v1 SelfSubjectRulesReview':
    'metadata=1:ObjectMeta spec=2:SelfSubjectRulesReviewSpec',
  'authentication.k8s.io/v1 SelfSubjectReview': 'metadata=1:ObjectMeta',

  ObjectMeta:
    'name=1 generateName=2 namespace=3 uid=5 resourceVersion=6 generation=7:int creationTimestamp=8:Time deletionTimestamp=9:Time deletionGracePeriodSeconds=10:int? labels=11:string{} annotations=12:string{} ownerReferences=13:OwnerReference[] finalizers=14:string[]',
  OwnerReference: 'kind=1 name=3 uid=4 apiVersion=5 controller=6:bool blockOwnerDeletion=7:bool',
  Preconditions: 'uid=1 resourceVersion=2',
  DeleteOptions:
    'gracePeriodSeconds=1:int? preconditions=2:Preconditions orphanDependents=3:bool propagationPolicy=4 dryRun=5:string[]',
  LabelSelector: 'matchLabels=1:string{} matchExpressions=2:LabelSelectorRequirement[]',
  LabelSelectorRequirement: 'key=1 operator=2 values=3:string[]',
  NamespaceSpec: 'finalizers=1:string[]',
  ResourceQuotaSpec: 'hard=1:Quantity{} scopes=2:string[] scopeSelector=3:ScopeSelector',
  ScopeSelector: 'matchExpressions=1:ScopeRequirement[]',
  ScopeRequirement: 'scopeName=1 operator=2 values=3:string[]',
  ObjectReference: 'kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7',
  LocalObjectReference: 'name=1',
  ServiceSpec:
    'ports=1:ServicePort[] selector=2:string{} clusterIP=3 type=4 externalIPs=5:string[] sessionAffinity=7 loadBalancerIP=8 externalName=10 externalTrafficPolicy=11 publishNotReadyAddresses=13:bool ipFamilyPolicy=17 clusterIPs=18:string[] ipFamilies=19:string[] internalTrafficPolicy=22',
  ServicePort: 'name=1 protocol=2 port=3:int targetPort=4:IntOrString nodePort=5:int appProtocol=6',
  PodDisruptionBudgetSpec:
    'minAvailable=1:IntOrString selector=2:LabelSelector maxUnavailable=3:IntOrString unhealthyPodEvictionPolicy=4',
  PolicyRule:
    'verbs=1:string[] apiGroups=2:string[] resources=3:string[] resourceNames=4:string[] nonResourceURLs=5:string[]',
  AggregationRule: 'clusterRoleSelectors=1:LabelSelector[]',
  Subject: 'kind=1 apiGroup=2 name=3 namespace=4',
  RoleRef: 'apiGroup=1 kind=2 name=3',
  SelfSubjectAccessReviewSpec:
    'resourceAttributes=1:ResourceAttributes nonResourceAttributes=2:NonResourceAttributes',
  ResourceAttributes: 'namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7',
  NonResourceAttributes: 'path=1 verb=2',
  SelfSubjectRulesReviewSpec: 'namespace=1',
}
