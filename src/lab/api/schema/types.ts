/**
 * The fields of every kind that the server decodes, one type a line (so this file is longer than others): what JSON calls
 * the field, its type, and for a list `[]` what merges its items (a field's name, or `+` for a set of plain values), for a
 * map `{}`. Read by reflection from the Go types of k8s.io/api 0.36.3 and, with the prefix `kv.`, kubevirt.io/api 1.9.0;
 * CDI's, Multus' and the lab's own kinds are written by hand, and no deeper than a lab needs.
 */
export const TYPES = `
AWSElasticBlockStoreVolumeSource volumeID:string fsType:string partition:int32 readOnly:bool
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AggregationRule clusterRoleSelectors:LabelSelector[]
AppArmorProfile type:string localhostProfile:string
AttachedVolume name:string devicePath:string
AzureDiskVolumeSource diskName:string diskURI:string cachingMode:string fsType:string readOnly:bool kind:string
AzureFilePersistentVolumeSource secretName:string shareName:string readOnly:bool secretNamespace:string
AzureFileVolumeSource secretName:string shareName:string readOnly:bool
Binding apiVersion:string kind:string metadata:ObjectMeta target:ObjectReference
CSIPersistentVolumeSource driver:string volumeHandle:string readOnly:bool fsType:string volumeAttributes:string{} controllerPublishSecretRef:SecretReference nodeStageSecretRef:SecretReference nodePublishSecretRef:SecretReference controllerExpandSecretRef:SecretReference nodeExpandSecretRef:SecretReference
CSIVolumeSource driver:string readOnly:bool fsType:string volumeAttributes:string{} nodePublishSecretRef:LocalObjectReference
Capabilities add:string[] drop:string[]
CephFSPersistentVolumeSource monitors:string[] path:string user:string secretFile:string secretRef:SecretReference readOnly:bool
CephFSVolumeSource monitors:string[] path:string user:string secretFile:string secretRef:LocalObjectReference readOnly:bool
CinderPersistentVolumeSource volumeID:string fsType:string readOnly:bool secretRef:SecretReference
CinderVolumeSource volumeID:string fsType:string readOnly:bool secretRef:LocalObjectReference
ClientIPConfig timeoutSeconds:int32
ClusterRole apiVersion:string kind:string metadata:ObjectMeta rules:PolicyRule[] aggregationRule:AggregationRule
ClusterRoleBinding apiVersion:string kind:string metadata:ObjectMeta subjects:Subject[] roleRef:RoleRef
ClusterTrustBundleProjection name:string signerName:string labelSelector:LabelSelector optional:bool path:string
Condition type:string status:string observedGeneration:int64 lastTransitionTime:time reason:string message:string
ConfigMap apiVersion:string kind:string metadata:ObjectMeta immutable:bool data:string{} binaryData:bytes{}
ConfigMapEnvSource name:string optional:bool
ConfigMapKeySelector name:string key:string optional:bool
ConfigMapNodeConfigSource namespace:string name:string uid:string resourceVersion:string kubeletConfigKey:string
ConfigMapProjection name:string items:KeyToPath[] optional:bool
ConfigMapVolumeSource name:string items:KeyToPath[] defaultMode:int32 optional:bool
Container name:string image:string command:string[] args:string[] workingDir:string ports:ContainerPort[containerPort] envFrom:EnvFromSource[] env:EnvVar[name] resources:ResourceRequirements resizePolicy:ContainerResizePolicy[] restartPolicy:string restartPolicyRules:ContainerRestartRule[] volumeMounts:VolumeMount[mountPath] volumeDevices:VolumeDevice[devicePath] livenessProbe:Probe readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string securityContext:SecurityContext stdin:bool stdinOnce:bool tty:bool
ContainerExtendedResourceRequest containerName:string resourceName:string requestName:string
ContainerImage names:string[] sizeBytes:int64
ContainerPort name:string hostPort:int32 containerPort:int32 protocol:string hostIP:string
ContainerResizePolicy resourceName:string restartPolicy:string
ContainerRestartRule action:string exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:string values:int32[]
ContainerState waiting:ContainerStateWaiting running:ContainerStateRunning terminated:ContainerStateTerminated
ContainerStateRunning startedAt:time
ContainerStateTerminated exitCode:int32 signal:int32 reason:string message:string startedAt:time finishedAt:time containerID:string
ContainerStateWaiting reason:string message:string
ContainerStatus name:string state:ContainerState lastState:ContainerState ready:bool restartCount:int32 image:string imageID:string containerID:string started:bool allocatedResources:quantity{} resources:ResourceRequirements volumeMounts:VolumeMountStatus[mountPath] user:ContainerUser allocatedResourcesStatus:ResourceStatus[name] stopSignal:string
ContainerUser linux:LinuxContainerUser
DaemonEndpoint Port:int32
DaemonSet apiVersion:string kind:string metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetCondition type:string status:string lastTransitionTime:time reason:string message:string
DaemonSetSpec selector:LabelSelector template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy minReadySeconds:int32 revisionHistoryLimit:int32
DaemonSetStatus currentNumberScheduled:int32 numberMisscheduled:int32 desiredNumberScheduled:int32 numberReady:int32 observedGeneration:int64 updatedNumberScheduled:int32 numberAvailable:int32 numberUnavailable:int32 collisionCount:int32 conditions:DaemonSetCondition[type]
DaemonSetUpdateStrategy type:string rollingUpdate:RollingUpdateDaemonSet
DeleteOptions apiVersion:string kind:string gracePeriodSeconds:int64 preconditions:Preconditions orphanDependents:bool propagationPolicy:string dryRun:string[] ignoreStoreReadErrorWithClusterBreakingPotential:bool
Deployment apiVersion:string kind:string metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentCondition type:string status:string lastUpdateTime:time lastTransitionTime:time reason:string message:string
DeploymentSpec replicas:int32 selector:LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy minReadySeconds:int32 revisionHistoryLimit:int32 paused:bool progressDeadlineSeconds:int32
DeploymentStatus observedGeneration:int64 replicas:int32 updatedReplicas:int32 readyReplicas:int32 availableReplicas:int32 unavailableReplicas:int32 terminatingReplicas:int32 conditions:DeploymentCondition[type] collisionCount:int32
DeploymentStrategy type:string rollingUpdate:RollingUpdateDeployment
DownwardAPIProjection items:DownwardAPIVolumeFile[]
DownwardAPIVolumeFile path:string fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode:int32
DownwardAPIVolumeSource items:DownwardAPIVolumeFile[] defaultMode:int32
EmptyDirVolumeSource medium:string sizeLimit:quantity
EnvFromSource prefix:string configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
EnvVar name:string value:string valueFrom:EnvVarSource
EnvVarSource fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector configMapKeyRef:ConfigMapKeySelector secretKeyRef:SecretKeySelector fileKeyRef:FileKeySelector
EphemeralContainer name:string image:string command:string[] args:string[] workingDir:string ports:ContainerPort[containerPort] envFrom:EnvFromSource[] env:EnvVar[name] resources:ResourceRequirements resizePolicy:ContainerResizePolicy[] restartPolicy:string restartPolicyRules:ContainerRestartRule[] volumeMounts:VolumeMount[mountPath] volumeDevices:VolumeDevice[devicePath] livenessProbe:Probe readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle terminationMessagePath:string terminationMessagePolicy:string imagePullPolicy:string securityContext:SecurityContext stdin:bool stdinOnce:bool tty:bool targetContainerName:string
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
Event apiVersion:string kind:string metadata:ObjectMeta involvedObject:ObjectReference reason:string message:string source:EventSource firstTimestamp:time lastTimestamp:time count:int32 type:string eventTime:time series:EventSeries action:string related:ObjectReference reportingComponent:string reportingInstance:string
EventSeries count:int32 lastObservedTime:time
EventSource component:string host:string
Eviction apiVersion:string kind:string metadata:ObjectMeta deleteOptions:DeleteOptions
ExecAction command:string[]
FCVolumeSource targetWWNs:string[] lun:int32 fsType:string readOnly:bool wwids:string[]
FileKeySelector volumeName:string path:string key:string optional:bool
FlexPersistentVolumeSource driver:string fsType:string secretRef:SecretReference readOnly:bool options:string{}
FlexVolumeSource driver:string fsType:string secretRef:LocalObjectReference readOnly:bool options:string{}
FlockerVolumeSource datasetName:string datasetUUID:string
GCEPersistentDiskVolumeSource pdName:string fsType:string partition:int32 readOnly:bool
GRPCAction port:int32 service:string
GitRepoVolumeSource repository:string revision:string directory:string
GlusterfsPersistentVolumeSource endpoints:string path:string readOnly:bool endpointsNamespace:string
GlusterfsVolumeSource endpoints:string path:string readOnly:bool
HTTPGetAction path:string port:intorstring host:string scheme:string httpHeaders:HTTPHeader[]
HTTPHeader name:string value:string
HostAlias ip:string hostnames:string[]
HostIP ip:string
HostPathVolumeSource path:string type:string
ISCSIPersistentVolumeSource targetPortal:string iqn:string lun:int32 iscsiInterface:string fsType:string readOnly:bool portals:string[] chapAuthDiscovery:bool chapAuthSession:bool secretRef:SecretReference initiatorName:string
ISCSIVolumeSource targetPortal:string iqn:string lun:int32 iscsiInterface:string fsType:string readOnly:bool portals:string[] chapAuthDiscovery:bool chapAuthSession:bool secretRef:LocalObjectReference initiatorName:string
ImageVolumeSource reference:string pullPolicy:string
ImageVolumeStatus imageRef:string
Job apiVersion:string kind:string metadata:ObjectMeta spec:JobSpec status:JobStatus
JobCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
JobSpec parallelism:int32 completions:int32 activeDeadlineSeconds:int64 podFailurePolicy:PodFailurePolicy successPolicy:SuccessPolicy backoffLimit:int32 backoffLimitPerIndex:int32 maxFailedIndexes:int32 selector:LabelSelector manualSelector:bool template:PodTemplateSpec ttlSecondsAfterFinished:int32 completionMode:string suspend:bool podReplacementPolicy:string managedBy:string
JobStatus conditions:JobCondition[type] startTime:time completionTime:time active:int32 succeeded:int32 failed:int32 terminating:int32 completedIndexes:string failedIndexes:string uncountedTerminatedPods:UncountedTerminatedPods ready:int32
KeyToPath key:string path:string mode:int32
LabelSelector matchLabels:string{} matchExpressions:LabelSelectorRequirement[]
LabelSelectorRequirement key:string operator:string values:string[]
Lease apiVersion:string kind:string metadata:ObjectMeta spec:LeaseSpec
LeaseSpec holderIdentity:string leaseDurationSeconds:int32 acquireTime:time renewTime:time leaseTransitions:int32 strategy:string preferredHolder:string
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:string
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction
LimitRange apiVersion:string kind:string metadata:ObjectMeta spec:LimitRangeSpec
LimitRangeItem type:string max:quantity{} min:quantity{} default:quantity{} defaultRequest:quantity{} maxLimitRequestRatio:quantity{}
LimitRangeSpec limits:LimitRangeItem[]
LinuxContainerUser uid:int64 gid:int64 supplementalGroups:int64[]
LoadBalancerIngress ip:string hostname:string ipMode:string ports:PortStatus[]
LoadBalancerStatus ingress:LoadBalancerIngress[]
LocalObjectReference name:string
LocalVolumeSource path:string fsType:string
ManagedFieldsEntry manager:string operation:string apiVersion:string time:time fieldsType:string fieldsV1:any subresource:string
ModifyVolumeStatus targetVolumeAttributesClassName:string status:string
NFSVolumeSource server:string path:string readOnly:bool
Namespace apiVersion:string kind:string metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceCondition type:string status:string lastTransitionTime:time reason:string message:string
NamespaceSpec finalizers:string[]
NamespaceStatus phase:string conditions:NamespaceCondition[type]
Node apiVersion:string kind:string metadata:ObjectMeta spec:NodeSpec status:NodeStatus
NodeAddress type:string address:string
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]
NodeAllocatableResourceClaimStatus resourceClaimName:string containers:string[] resources:quantity{}
NodeCondition type:string status:string lastHeartbeatTime:time lastTransitionTime:time reason:string message:string
NodeConfigSource configMap:ConfigMapNodeConfigSource
NodeConfigStatus assigned:NodeConfigSource active:NodeConfigSource lastKnownGood:NodeConfigSource error:string
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:bool
NodeRuntimeHandler name:string features:NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:bool userNamespaces:bool
NodeSelector nodeSelectorTerms:NodeSelectorTerm[]
NodeSelectorRequirement key:string operator:string values:string[]
NodeSelectorTerm matchExpressions:NodeSelectorRequirement[] matchFields:NodeSelectorRequirement[]
NodeSpec podCIDR:string podCIDRs:string[+] providerID:string unschedulable:bool taints:Taint[] configSource:NodeConfigSource externalID:string
NodeStatus capacity:quantity{} allocatable:quantity{} phase:string conditions:NodeCondition[type] addresses:NodeAddress[type] daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:ContainerImage[] volumesInUse:string[] volumesAttached:AttachedVolume[] config:NodeConfigStatus runtimeHandlers:NodeRuntimeHandler[] features:NodeFeatures declaredFeatures:string[]
NodeSwapStatus capacity:int64
NodeSystemInfo machineID:string systemUUID:string bootID:string kernelVersion:string osImage:string containerRuntimeVersion:string kubeletVersion:string kubeProxyVersion:string operatingSystem:string architecture:string swap:NodeSwapStatus
ObjectFieldSelector apiVersion:string fieldPath:string
ObjectMeta name:string generateName:string namespace:string selfLink:string uid:string resourceVersion:string generation:int64 creationTimestamp:time deletionTimestamp:time deletionGracePeriodSeconds:int64 labels:string{} annotations:string{} ownerReferences:OwnerReference[uid] finalizers:string[+] managedFields:ManagedFieldsEntry[]
ObjectReference kind:string namespace:string name:string uid:string apiVersion:string resourceVersion:string fieldPath:string
OwnerReference apiVersion:string kind:string name:string uid:string controller:bool blockOwnerDeletion:bool
PersistentVolume apiVersion:string kind:string metadata:ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeClaim apiVersion:string kind:string metadata:ObjectMeta spec:PersistentVolumeClaimSpec status:PersistentVolumeClaimStatus
PersistentVolumeClaimCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
PersistentVolumeClaimSpec accessModes:string[] selector:LabelSelector resources:VolumeResourceRequirements volumeName:string storageClassName:string volumeMode:string dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference volumeAttributesClassName:string
PersistentVolumeClaimStatus phase:string accessModes:string[] capacity:quantity{} conditions:PersistentVolumeClaimCondition[type] allocatedResources:quantity{} allocatedResourceStatuses:string{} currentVolumeAttributesClassName:string modifyVolumeStatus:ModifyVolumeStatus
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName:string readOnly:bool
PersistentVolumeSpec capacity:quantity{} gcePersistentDisk:GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStoreVolumeSource hostPath:HostPathVolumeSource glusterfs:GlusterfsPersistentVolumeSource nfs:NFSVolumeSource rbd:RBDPersistentVolumeSource iscsi:ISCSIPersistentVolumeSource cinder:CinderPersistentVolumeSource cephfs:CephFSPersistentVolumeSource fc:FCVolumeSource flocker:FlockerVolumeSource flexVolume:FlexPersistentVolumeSource azureFile:AzureFilePersistentVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource quobyte:QuobyteVolumeSource azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource scaleIO:ScaleIOPersistentVolumeSource local:LocalVolumeSource storageos:StorageOSPersistentVolumeSource csi:CSIPersistentVolumeSource accessModes:string[] claimRef:ObjectReference persistentVolumeReclaimPolicy:string storageClassName:string mountOptions:string[] volumeMode:string nodeAffinity:VolumeNodeAffinity volumeAttributesClassName:string
PersistentVolumeStatus phase:string message:string reason:string lastPhaseTransitionTime:time
PhotonPersistentDiskVolumeSource pdID:string fsType:string
Pod apiVersion:string kind:string metadata:ObjectMeta spec:PodSpec status:PodStatus
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
PodAffinityTerm labelSelector:LabelSelector namespaces:string[] topologyKey:string namespaceSelector:LabelSelector matchLabelKeys:string[] mismatchLabelKeys:string[]
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[] preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]
PodCertificateProjection signerName:string keyType:string maxExpirationSeconds:int32 credentialBundlePath:string keyPath:string certificateChainPath:string userAnnotations:string{}
PodCondition type:string observedGeneration:int64 status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
PodDNSConfig nameservers:string[] searches:string[] options:PodDNSConfigOption[]
PodDNSConfigOption name:string value:string
PodDisruptionBudget apiVersion:string kind:string metadata:ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable:intorstring selector:LabelSelector maxUnavailable:intorstring unhealthyPodEvictionPolicy:string
PodDisruptionBudgetStatus observedGeneration:int64 disruptedPods:time{} disruptionsAllowed:int32 currentHealthy:int32 desiredHealthy:int32 expectedPods:int32 conditions:Condition[type]
PodExtendedResourceClaimStatus requestMappings:ContainerExtendedResourceRequest[] resourceClaimName:string
PodFailurePolicy rules:PodFailurePolicyRule[]
PodFailurePolicyOnExitCodesRequirement containerName:string operator:string values:int32[]
PodFailurePolicyOnPodConditionsPattern type:string status:string
PodFailurePolicyRule action:string onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:PodFailurePolicyOnPodConditionsPattern[]
PodIP ip:string
PodOS name:string
PodReadinessGate conditionType:string
PodResourceClaim name:string resourceClaimName:string resourceClaimTemplateName:string
PodResourceClaimStatus name:string resourceClaimName:string
PodSchedulingGate name:string
PodSchedulingGroup podGroupName:string
PodSecurityContext seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions runAsUser:int64 runAsGroup:int64 runAsNonRoot:bool supplementalGroups:int64[] supplementalGroupsPolicy:string fsGroup:int64 sysctls:Sysctl[] fsGroupChangePolicy:string seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile seLinuxChangePolicy:string
PodSpec volumes:Volume[name] initContainers:Container[name] containers:Container[name] ephemeralContainers:EphemeralContainer[name] restartPolicy:string terminationGracePeriodSeconds:int64 activeDeadlineSeconds:int64 dnsPolicy:string nodeSelector:string{} serviceAccountName:string serviceAccount:string automountServiceAccountToken:bool nodeName:string hostNetwork:bool hostPID:bool hostIPC:bool shareProcessNamespace:bool securityContext:PodSecurityContext imagePullSecrets:LocalObjectReference[name] hostname:string subdomain:string affinity:Affinity schedulerName:string tolerations:Toleration[] hostAliases:HostAlias[ip] priorityClassName:string priority:int32 dnsConfig:PodDNSConfig readinessGates:PodReadinessGate[] runtimeClassName:string enableServiceLinks:bool preemptionPolicy:string overhead:quantity{} topologySpreadConstraints:TopologySpreadConstraint[topologyKey] setHostnameAsFQDN:bool os:PodOS hostUsers:bool schedulingGates:PodSchedulingGate[name] resourceClaims:PodResourceClaim[name] resources:ResourceRequirements hostnameOverride:string schedulingGroup:PodSchedulingGroup
PodStatus observedGeneration:int64 phase:string conditions:PodCondition[type] message:string reason:string nominatedNodeName:string hostIP:string hostIPs:HostIP[ip] podIP:string podIPs:PodIP[ip] startTime:time initContainerStatuses:ContainerStatus[] containerStatuses:ContainerStatus[] qosClass:string ephemeralContainerStatuses:ContainerStatus[] resize:string resourceClaimStatuses:PodResourceClaimStatus[name] extendedResourceClaimStatus:PodExtendedResourceClaimStatus allocatedResources:quantity{} resources:ResourceRequirements nodeAllocatableResourceClaimStatuses:NodeAllocatableResourceClaimStatus[]
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PolicyRule verbs:string[] apiGroups:string[] resources:string[] resourceNames:string[] nonResourceURLs:string[]
PortStatus port:int32 protocol:string error:string
PortworxVolumeSource volumeID:string fsType:string readOnly:bool
Preconditions uid:string resourceVersion:string
PreferredSchedulingTerm weight:int32 preference:NodeSelectorTerm
Probe exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction initialDelaySeconds:int32 timeoutSeconds:int32 periodSeconds:int32 successThreshold:int32 failureThreshold:int32 terminationGracePeriodSeconds:int64
PriorityClass apiVersion:string kind:string metadata:ObjectMeta value:int32 globalDefault:bool description:string preemptionPolicy:string
ProjectedVolumeSource sources:VolumeProjection[] defaultMode:int32
QuobyteVolumeSource registry:string volume:string readOnly:bool user:string group:string tenant:string
RBDPersistentVolumeSource monitors:string[] image:string fsType:string pool:string user:string keyring:string secretRef:SecretReference readOnly:bool
RBDVolumeSource monitors:string[] image:string fsType:string pool:string user:string keyring:string secretRef:LocalObjectReference readOnly:bool
ReplicaSet apiVersion:string kind:string metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetCondition type:string status:string lastTransitionTime:time reason:string message:string
ReplicaSetSpec replicas:int32 minReadySeconds:int32 selector:LabelSelector template:PodTemplateSpec
ReplicaSetStatus replicas:int32 fullyLabeledReplicas:int32 readyReplicas:int32 availableReplicas:int32 terminatingReplicas:int32 observedGeneration:int64 conditions:ReplicaSetCondition[type]
ResourceClaim name:string request:string
ResourceFieldSelector containerName:string resource:string divisor:quantity
ResourceHealth resourceID:string health:string message:string
ResourceQuota apiVersion:string kind:string metadata:ObjectMeta spec:ResourceQuotaSpec status:ResourceQuotaStatus
ResourceQuotaSpec hard:quantity{} scopes:string[] scopeSelector:ScopeSelector
ResourceQuotaStatus hard:quantity{} used:quantity{}
ResourceRequirements limits:quantity{} requests:quantity{} claims:ResourceClaim[]
ResourceStatus name:string resources:ResourceHealth[]
Role apiVersion:string kind:string metadata:ObjectMeta rules:PolicyRule[]
RoleBinding apiVersion:string kind:string metadata:ObjectMeta subjects:Subject[] roleRef:RoleRef
RoleRef apiGroup:string kind:string name:string
RollingUpdateDaemonSet maxUnavailable:intorstring maxSurge:intorstring
RollingUpdateDeployment maxUnavailable:intorstring maxSurge:intorstring
SELinuxOptions user:string role:string type:string level:string
ScaleIOPersistentVolumeSource gateway:string system:string secretRef:SecretReference sslEnabled:bool protectionDomain:string storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool
ScaleIOVolumeSource gateway:string system:string secretRef:LocalObjectReference sslEnabled:bool protectionDomain:string storagePool:string storageMode:string volumeName:string fsType:string readOnly:bool
ScopeSelector matchExpressions:ScopedResourceSelectorRequirement[]
ScopedResourceSelectorRequirement scopeName:string operator:string values:string[]
SeccompProfile type:string localhostProfile:string
Secret apiVersion:string kind:string metadata:ObjectMeta immutable:bool data:bytes{} stringData:string{} type:string
SecretEnvSource name:string optional:bool
SecretKeySelector name:string key:string optional:bool
SecretProjection name:string items:KeyToPath[] optional:bool
SecretReference name:string namespace:string
SecretVolumeSource secretName:string items:KeyToPath[] defaultMode:int32 optional:bool
SecurityContext capabilities:Capabilities privileged:bool seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions runAsUser:int64 runAsGroup:int64 runAsNonRoot:bool readOnlyRootFilesystem:bool allowPrivilegeEscalation:bool procMount:string seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile
Service apiVersion:string kind:string metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceAccount apiVersion:string kind:string metadata:ObjectMeta secrets:ObjectReference[name] imagePullSecrets:LocalObjectReference[] automountServiceAccountToken:bool
ServiceAccountTokenProjection audience:string expirationSeconds:int64 path:string
ServicePort name:string protocol:string appProtocol:string port:int32 targetPort:intorstring nodePort:int32
ServiceSpec ports:ServicePort[port] selector:string{} clusterIP:string clusterIPs:string[] type:string externalIPs:string[] sessionAffinity:string loadBalancerIP:string loadBalancerSourceRanges:string[] externalName:string externalTrafficPolicy:string healthCheckNodePort:int32 publishNotReadyAddresses:bool sessionAffinityConfig:SessionAffinityConfig ipFamilies:string[] ipFamilyPolicy:string allocateLoadBalancerNodePorts:bool loadBalancerClass:string internalTrafficPolicy:string trafficDistribution:string
ServiceStatus loadBalancer:LoadBalancerStatus conditions:Condition[type]
SessionAffinityConfig clientIP:ClientIPConfig
SleepAction seconds:int64
StorageClass apiVersion:string kind:string metadata:ObjectMeta provisioner:string parameters:string{} reclaimPolicy:string mountOptions:string[] allowVolumeExpansion:bool volumeBindingMode:string allowedTopologies:TopologySelectorTerm[]
StorageOSPersistentVolumeSource volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef:ObjectReference
StorageOSVolumeSource volumeName:string volumeNamespace:string fsType:string readOnly:bool secretRef:LocalObjectReference
Subject kind:string apiGroup:string name:string namespace:string
SuccessPolicy rules:SuccessPolicyRule[]
SuccessPolicyRule succeededIndexes:string succeededCount:int32
Sysctl name:string value:string
TCPSocketAction port:intorstring host:string
Taint key:string value:string effect:string timeAdded:time
Toleration key:string operator:string value:string effect:string tolerationSeconds:int64
TopologySelectorLabelRequirement key:string values:string[]
TopologySelectorTerm matchLabelExpressions:TopologySelectorLabelRequirement[]
TopologySpreadConstraint maxSkew:int32 topologyKey:string whenUnsatisfiable:string labelSelector:LabelSelector minDomains:int32 nodeAffinityPolicy:string nodeTaintsPolicy:string matchLabelKeys:string[]
TypedLocalObjectReference apiGroup:string kind:string name:string
TypedObjectReference apiGroup:string kind:string name:string namespace:string
UncountedTerminatedPods succeeded:string[] failed:string[]
Volume name:string hostPath:HostPathVolumeSource emptyDir:EmptyDirVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStoreVolumeSource gitRepo:GitRepoVolumeSource secret:SecretVolumeSource nfs:NFSVolumeSource iscsi:ISCSIVolumeSource glusterfs:GlusterfsVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource rbd:RBDVolumeSource flexVolume:FlexVolumeSource cinder:CinderVolumeSource cephfs:CephFSVolumeSource flocker:FlockerVolumeSource downwardAPI:DownwardAPIVolumeSource fc:FCVolumeSource azureFile:AzureFileVolumeSource configMap:ConfigMapVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource quobyte:QuobyteVolumeSource azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource projected:ProjectedVolumeSource portworxVolume:PortworxVolumeSource scaleIO:ScaleIOVolumeSource storageos:StorageOSVolumeSource csi:CSIVolumeSource ephemeral:EphemeralVolumeSource image:ImageVolumeSource
VolumeDevice name:string devicePath:string
VolumeMount name:string readOnly:bool recursiveReadOnly:string mountPath:string subPath:string mountPropagation:string subPathExpr:string
VolumeMountStatus name:string mountPath:string readOnly:bool recursiveReadOnly:string volumeStatus:VolumeStatus
VolumeNodeAffinity required:NodeSelector
VolumeProjection secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection podCertificate:PodCertificateProjection
VolumeResourceRequirements limits:quantity{} requests:quantity{}
VolumeStatus image:ImageVolumeStatus
VsphereVirtualDiskVolumeSource volumePath:string fsType:string storagePolicyName:string storagePolicyID:string
WeightedPodAffinityTerm weight:int32 podAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName:string gmsaCredentialSpec:string runAsUserName:string hostProcess:bool
kv.ACPI slicNameRef:string msdmNameRef:string
kv.AccessCredential sshPublicKey:kv.SSHPublicKeyAccessCredential userPassword:kv.UserPasswordAccessCredential
kv.AccessCredentialSecretSource secretName:string
kv.AddVolumeOptions name:string disk:kv.Disk volumeSource:kv.HotplugVolumeSource dryRun:string[]
kv.ArchConfiguration amd64:kv.ArchSpecificConfiguration arm64:kv.ArchSpecificConfiguration ppc64le:kv.ArchSpecificConfiguration s390x:kv.ArchSpecificConfiguration defaultArchitecture:string
kv.ArchSpecificConfiguration ovmfPath:string emulatedMachines:string[] machineType:string
kv.BIOS useSerial:bool
kv.BackupVolumeInfo volumeName:string diskTarget:string dataEndpoint:string mapEndpoint:string
kv.BlockSize custom:kv.CustomBlockSize matchVolume:kv.FeatureState
kv.Bootloader bios:kv.BIOS efi:kv.EFI
kv.CDRomTarget bus:string readonly:bool tray:string
kv.CPU cores:uint32 sockets:uint32 maxSockets:uint32 threads:uint32 model:string features:kv.CPUFeature[] dedicatedCpuPlacement:bool numa:kv.NUMA isolateEmulatorThread:bool realtime:kv.Realtime
kv.CPUFeature name:string policy:string
kv.CPUTopology cores:uint32 sockets:uint32 threads:uint32
kv.CertConfig duration:string renewBefore:string
kv.ChangedBlockTrackingSelectors namespaceLabelSelector:LabelSelector virtualMachineLabelSelector:LabelSelector
kv.ChangedBlockTrackingStatus state:string backupStatus:kv.VirtualMachineInstanceBackupStatus
kv.Chassis manufacturer:string version:string serial:string asset:string sku:string
kv.ClaimRequest claimName:string requestName:string
kv.ClientPassthroughDevices 
kv.Clock utc:kv.ClockOffsetUTC timezone:string timer:kv.Timer
kv.ClockOffsetUTC offsetSeconds:int
kv.CloudInitConfigDriveSource secretRef:LocalObjectReference userDataBase64:string userData:string networkDataSecretRef:LocalObjectReference networkDataBase64:string networkData:string
kv.CloudInitNoCloudSource secretRef:LocalObjectReference userDataBase64:string userData:string networkDataSecretRef:LocalObjectReference networkDataBase64:string networkData:string
kv.CommonInstancetypesDeployment enabled:bool
kv.ComponentConfig nodePlacement:kv.NodePlacement replicas:uint8
kv.ConfidentialComputeConfiguration tdx:kv.TDXConfiguration
kv.ConfigDriveSSHPublicKeyAccessCredentialPropagation 
kv.ConfigMapVolumeSource name:string optional:bool volumeLabel:string
kv.ContainerDiskInfo checksum:uint32
kv.ContainerDiskSource image:string imagePullSecret:string path:string imagePullPolicy:string
kv.ContainerPathVolumeSource path:string readOnly:bool
kv.ControllerRevisionRef name:string
kv.CustomBlockSize logical:uint physical:uint discardGranularity:uint
kv.CustomProfile localhostProfile:string runtimeDefaultProfile:bool
kv.CustomizeComponents patches:kv.CustomizeComponentsPatch[] flags:kv.Flags
kv.CustomizeComponentsPatch resourceName:string resourceType:string patch:string type:string
kv.DHCPOptions bootFileName:string tftpServerName:string ntpServers:string[] privateOptions:kv.DHCPPrivateOptions[]
kv.DHCPPrivateOptions option:int value:string
kv.DataVolumeCheckpoint previous:string current:string
kv.DataVolumeSource name:string hotpluggable:bool
kv.DataVolumeSourceRef kind:string namespace:string name:string
kv.DataVolumeSpec source:kv.DataVolumeSource sourceRef:kv.DataVolumeSourceRef pvc:PersistentVolumeClaimSpec storage:kv.StorageSpec priorityClassName:string contentType:string checkpoints:kv.DataVolumeCheckpoint[] finalCheckpoint:bool preallocation:bool
kv.DataVolumeTemplateDummyStatus 
kv.DataVolumeTemplateSpec apiVersion:string kind:string metadata:ObjectMeta spec:kv.DataVolumeSpec status:kv.DataVolumeTemplateDummyStatus
kv.DeprecatedInterfaceMacvtap 
kv.DeprecatedInterfacePasst 
kv.DeprecatedInterfaceSlirp 
kv.DeveloperConfiguration featureGates:string[] disabledFeatureGates:string[] pvcTolerateLessSpaceUpToPercent:int minimumReservePVCBytes:uint64 memoryOvercommit:int nodeSelectors:string{} useEmulation:bool cpuAllocationRatio:int minimumClusterTSCFrequency:int64 diskVerification:kv.DiskVerification logVerbosity:kv.LogVerbosity clusterProfiler:bool
kv.Devices useVirtioTransitional:bool disableHotplug:bool disks:kv.Disk[] watchdog:kv.Watchdog interfaces:kv.Interface[] inputs:kv.Input[] autoattachPodInterface:bool autoattachGraphicsDevice:bool autoattachSerialConsole:bool logSerialConsole:bool autoattachMemBalloon:bool autoattachInputDevice:bool autoattachVSOCK:bool rng:kv.Rng blockMultiQueue:bool networkInterfaceMultiqueue:bool gpus:kv.GPU[] downwardMetrics:kv.DownwardMetrics panicDevices:kv.PanicDevice[] filesystems:kv.Filesystem[] hostDevices:kv.HostDevice[] clientPassthrough:kv.ClientPassthroughDevices sound:kv.SoundDevice tpm:kv.TPMDevice video:kv.VideoDevice
kv.Diag288Watchdog action:string
kv.DisableFreePageReporting 
kv.DisableSerialConsoleLog 
kv.Disk name:string disk:kv.DiskTarget lun:kv.LunTarget cdrom:kv.CDRomTarget bootOrder:uint serial:string dedicatedIOThread:bool cache:string io:string tag:string blockSize:kv.BlockSize shareable:bool errorPolicy:string changedBlockTracking:bool
kv.DiskIOThreads supplementalPoolThreadCount:uint32
kv.DiskTarget bus:string readonly:bool pciAddress:string
kv.DiskVerification memoryLimit:quantity
kv.DomainMemoryDumpInfo startTimestamp:time endTimestamp:time claimName:string targetFileName:string
kv.DomainSpec resources:kv.ResourceRequirements cpu:kv.CPU memory:kv.Memory machine:kv.Machine firmware:kv.Firmware clock:kv.Clock features:kv.Features devices:kv.Devices ioThreadsPolicy:string ioThreads:kv.DiskIOThreads chassis:kv.Chassis launchSecurity:kv.LaunchSecurity rebootPolicy:string
kv.DownwardAPIVolumeSource fields:DownwardAPIVolumeFile[] volumeLabel:string
kv.DownwardMetrics 
kv.DownwardMetricsVolumeSource 
kv.EFI secureBoot:bool persistent:bool
kv.EmptyDiskSource capacity:quantity
kv.EphemeralVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
kv.ExperimentalMigrationOptions stallDetector:kv.StallDetectorOptions compression:string
kv.FeatureAPIC enabled:bool endOfInterrupt:bool
kv.FeatureHyperv relaxed:kv.FeatureState vapic:kv.FeatureState spinlocks:kv.FeatureSpinlocks vpindex:kv.FeatureState runtime:kv.FeatureState synic:kv.FeatureState synictimer:kv.SyNICTimer reset:kv.FeatureState vendorid:kv.FeatureVendorID frequencies:kv.FeatureState reenlightenment:kv.FeatureState tlbflush:kv.TLBFlush ipi:kv.FeatureState evmcs:kv.FeatureState
kv.FeatureKVM hidden:bool
kv.FeatureSpinlocks enabled:bool spinlocks:uint32
kv.FeatureState enabled:bool
kv.FeatureVendorID enabled:bool vendorid:string
kv.Features acpi:kv.FeatureState apic:kv.FeatureAPIC hypervPassthrough:kv.HyperVPassthrough hyperv:kv.FeatureHyperv smm:kv.FeatureState kvm:kv.FeatureKVM pvspinlock:kv.FeatureState
kv.Filesystem name:string virtiofs:kv.FilesystemVirtiofs
kv.FilesystemVirtiofs 
kv.Firmware uuid:string bootloader:kv.Bootloader serial:string kernelBoot:kv.KernelBoot acpi:kv.ACPI
kv.Flags api:string{} controller:string{} handler:string{}
kv.GPU name:string deviceName:string claimName:string requestName:string virtualGPUOptions:kv.VGPUOptions tag:string
kv.GenerationStatus group:string resource:string namespace:string name:string lastGeneration:int64 hash:string
kv.GuestAgentPing 
kv.HPETTimer tickPolicy:string present:bool
kv.HostDevice name:string deviceName:string claimName:string requestName:string tag:string
kv.HostDisk path:string type:string capacity:quantity shared:bool
kv.HotplugVolumeSource persistentVolumeClaim:kv.PersistentVolumeClaimVolumeSource dataVolume:kv.DataVolumeSource
kv.HotplugVolumeStatus attachPodName:string attachPodUID:string
kv.Hugepages pageSize:string
kv.HyperVPassthrough enabled:bool
kv.HypervTimer present:bool
kv.HypervisorConfiguration name:string
kv.I6300ESBWatchdog action:string
kv.InitrdInfo checksum:uint32
kv.Input bus:string type:string name:string
kv.InstancetypeConfiguration referencePolicy:string
kv.InstancetypeMatcher name:string kind:string revisionName:string inferFromVolume:string inferFromVolumeFailurePolicy:string
kv.InstancetypeStatusRef name:string kind:string controllerRevisionRef:kv.ControllerRevisionRef inferFromVolume:string inferFromVolumeFailurePolicy:string
kv.Interface name:string model:string bridge:kv.InterfaceBridge slirp:kv.DeprecatedInterfaceSlirp masquerade:kv.InterfaceMasquerade sriov:kv.InterfaceSRIOV macvtap:kv.DeprecatedInterfaceMacvtap passt:kv.DeprecatedInterfacePasst passtBinding:kv.InterfacePasstBinding binding:kv.PluginBinding ports:kv.Port[] portRanges:kv.PortRange[] macAddress:string bootOrder:uint pciAddress:string dhcpOptions:kv.DHCPOptions tag:string acpiIndex:int state:string
kv.InterfaceBindingMigration method:string
kv.InterfaceBindingPlugin sidecarImage:string networkAttachmentDefinition:string domainAttachmentType:string migration:kv.InterfaceBindingMigration downwardAPI:string computeResourceOverhead:kv.ResourceRequirementsWithoutClaims
kv.InterfaceBridge 
kv.InterfaceMasquerade 
kv.InterfacePasstBinding 
kv.InterfaceSRIOV 
kv.KSMConfiguration nodeLabelSelector:LabelSelector
kv.KVMTimer present:bool
kv.KernelBoot kernelArgs:string container:kv.KernelBootContainer
kv.KernelBootContainer image:string imagePullSecret:string imagePullPolicy:string kernelPath:string initrdPath:string
kv.KernelBootStatus kernelInfo:kv.KernelInfo initrdInfo:kv.InitrdInfo
kv.KernelInfo checksum:uint32
kv.KubeVirt apiVersion:string kind:string metadata:ObjectMeta spec:kv.KubeVirtSpec status:kv.KubeVirtStatus
kv.KubeVirtCertificateRotateStrategy selfSigned:kv.KubeVirtSelfSignConfiguration
kv.KubeVirtCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
kv.KubeVirtConfiguration cpuModel:string cpuRequest:quantity developerConfiguration:kv.DeveloperConfiguration emulatedMachines:string[] imagePullPolicy:string migrations:kv.MigrationConfiguration machineType:string network:kv.NetworkConfiguration ovmfPath:string selinuxLauncherType:string defaultRuntimeClass:string smbios:kv.SMBiosConfiguration architectureConfiguration:kv.ArchConfiguration evictionStrategy:string additionalGuestMemoryOverheadRatio:string supportContainerResources:kv.SupportContainerResources[] supportedGuestAgentVersions:string[] memBalloonStatsPeriod:uint32 permittedHostDevices:kv.PermittedHostDevices mediatedDevicesConfiguration:kv.MediatedDevicesConfiguration minCPUModel:string obsoleteCPUModels:bool{} virtualMachineInstancesPerNode:int apiConfiguration:kv.ReloadableComponentConfiguration webhookConfiguration:kv.ReloadableComponentConfiguration controllerConfiguration:kv.ReloadableComponentConfiguration handlerConfiguration:kv.ReloadableComponentConfiguration tlsConfiguration:kv.TLSConfiguration seccompConfiguration:kv.SeccompConfiguration vmStateStorageClass:string virtualMachineOptions:kv.VirtualMachineOptions ksmConfiguration:kv.KSMConfiguration autoCPULimitNamespaceLabelSelector:LabelSelector liveUpdateConfiguration:kv.LiveUpdateConfiguration vmRolloutStrategy:string commonInstancetypesDeployment:kv.CommonInstancetypesDeployment virtTemplateDeployment:kv.VirtTemplateDeployment instancetype:kv.InstancetypeConfiguration hypervisors:kv.HypervisorConfiguration[] changedBlockTrackingLabelSelectors:kv.ChangedBlockTrackingSelectors persistentReservationConfiguration:kv.PersistentReservationConfiguration confidentialCompute:kv.ConfidentialComputeConfiguration roleAggregationStrategy:string
kv.KubeVirtSelfSignConfiguration caRotateInterval:string certRotateInterval:string caOverlapInterval:string ca:kv.CertConfig server:kv.CertConfig
kv.KubeVirtSpec imageTag:string imageRegistry:string imagePullPolicy:string imagePullSecrets:LocalObjectReference[] monitorNamespace:string serviceMonitorNamespace:string monitorAccount:string workloadUpdateStrategy:kv.KubeVirtWorkloadUpdateStrategy uninstallStrategy:string certificateRotateStrategy:kv.KubeVirtCertificateRotateStrategy productVersion:string productName:string productComponent:string synchronizationPort:string configuration:kv.KubeVirtConfiguration infra:kv.ComponentConfig workloads:kv.ComponentConfig customizeComponents:kv.CustomizeComponents
kv.KubeVirtStatus phase:string conditions:kv.KubeVirtCondition[] operatorVersion:string targetKubeVirtRegistry:string targetKubeVirtVersion:string targetDeploymentConfig:string targetDeploymentID:string observedKubeVirtRegistry:string observedKubeVirtVersion:string observedDeploymentConfig:string observedDeploymentID:string outdatedVirtualMachineInstanceWorkloads:int observedGeneration:int64 defaultArchitecture:string generations:kv.GenerationStatus[] synchronizationAddresses:string[]
kv.KubeVirtWorkloadUpdateStrategy workloadUpdateMethods:string[] batchEvictionSize:int batchEvictionInterval:string
kv.LaunchSecurity sev:kv.SEV snp:kv.SEVSNP tdx:kv.TDX
kv.LiveUpdateConfiguration maxHotplugRatio:uint32 maxCpuSockets:uint32 maxGuest:quantity
kv.LogVerbosity virtAPI:uint virtController:uint virtHandler:uint virtLauncher:uint virtOperator:uint virtSynchronizationController:uint nodeVerbosity:uint{}
kv.LunTarget bus:string readonly:bool reservation:bool
kv.Machine type:string
kv.MediatedDevicesConfiguration mediatedDevicesTypes:string[] mediatedDeviceTypes:string[] nodeMediatedDeviceTypes:kv.NodeMediatedDeviceTypesConfig[] enabled:bool
kv.MediatedHostDevice mdevNameSelector:string resourceName:string externalResourceProvider:bool
kv.Memory hugepages:kv.Hugepages guest:quantity maxGuest:quantity reservedOverhead:kv.ReservedOverhead
kv.MemoryDumpVolumeSource claimName:string readOnly:bool hotpluggable:bool
kv.MemoryStatus guestAtBoot:quantity guestCurrent:quantity guestRequested:quantity memoryOverhead:quantity
kv.MigrationConfiguration nodeDrainTaintKey:string parallelOutboundMigrationsPerNode:uint32 parallelMigrationsPerCluster:uint32 allowAutoConverge:bool bandwidthPerMigration:quantity completionTimeoutPerGiB:int64 maxDowntimeMs:uint64 progressTimeout:int64 utilityVolumesTimeout:int64 unsafeMigrationOverride:bool allowPostCopy:bool allowWorkloadDisruption:bool disableTLS:bool network:string matchSELinuxLevelOnMigration:bool
kv.MigrationPolicy apiVersion:string kind:string metadata:ObjectMeta spec:kv.MigrationPolicySpec status:kv.MigrationPolicyStatus
kv.MigrationPolicySpec selectors:kv.Selectors allowAutoConverge:bool bandwidthPerMigration:quantity completionTimeoutPerGiB:int64 maxDowntimeMs:uint64 allowPostCopy:bool allowWorkloadDisruption:bool experimental:kv.ExperimentalMigrationOptions
kv.MigrationPolicyStatus 
kv.MultusNetwork networkName:string default:bool
kv.NUMA guestMappingPassthrough:kv.NUMAGuestMappingPassthrough
kv.NUMAGuestMappingPassthrough 
kv.Network name:string pod:kv.PodNetwork multus:kv.MultusNetwork resourceClaim:kv.ClaimRequest
kv.NetworkConfiguration defaultNetworkInterface:string permitSlirpInterface:bool permitBridgeInterfaceOnPodNetwork:bool binding:kv.InterfaceBindingPlugin{}
kv.NoCloudSSHPublicKeyAccessCredentialPropagation 
kv.NodeMediatedDeviceTypesConfig nodeSelector:string{} mediatedDevicesTypes:string[] mediatedDeviceTypes:string[]
kv.NodePlacement nodeSelector:string{} affinity:Affinity tolerations:Toleration[]
kv.PITTimer tickPolicy:string present:bool
kv.PanicDevice model:string
kv.PciHostDevice pciVendorSelector:string resourceName:string externalResourceProvider:bool
kv.PermittedHostDevices pciHostDevices:kv.PciHostDevice[] mediatedDevices:kv.MediatedHostDevice[] usb:kv.USBHostDevice[]
kv.PersistentReservationConfiguration enabled:bool
kv.PersistentVolumeClaimInfo claimName:string accessModes:string[] volumeMode:string capacity:quantity{} requests:quantity{} preallocated:bool filesystemOverhead:string
kv.PersistentVolumeClaimVolumeSource claimName:string readOnly:bool hotpluggable:bool
kv.PluginBinding name:string
kv.PodNetwork vmNetworkCIDR:string vmIPv6NetworkCIDR:string
kv.Port name:string protocol:string port:int32
kv.PortRange protocol:string start:int32 end:int32
kv.PreferenceMatcher name:string kind:string revisionName:string inferFromVolume:string inferFromVolumeFailurePolicy:string
kv.Probe exec:ExecAction guestAgentPing:kv.GuestAgentPing httpGet:HTTPGetAction tcpSocket:TCPSocketAction initialDelaySeconds:int32 timeoutSeconds:int32 periodSeconds:int32 successThreshold:int32 failureThreshold:int32
kv.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation users:string[]
kv.QemuGuestAgentUserPasswordAccessCredentialPropagation 
kv.RESTClientConfiguration rateLimiter:kv.RateLimiter
kv.RTCTimer tickPolicy:string present:bool track:string
kv.RateLimiter tokenBucketRateLimiter:kv.TokenBucketRateLimiter
kv.Realtime mask:string
kv.ReloadableComponentConfiguration restClient:kv.RESTClientConfiguration
kv.RemoveVolumeOptions name:string dryRun:string[]
kv.ReservedOverhead addedOverhead:quantity memLock:string
kv.ResourceRequirements requests:quantity{} limits:quantity{} overcommitGuestOverhead:bool
kv.ResourceRequirementsWithoutClaims limits:quantity{} requests:quantity{}
kv.Rng 
kv.SEV policy:kv.SEVPolicy attestation:kv.SEVAttestation session:string dhCert:string
kv.SEVAttestation 
kv.SEVPolicy encryptedState:bool
kv.SEVSNP 
kv.SMBiosConfiguration manufacturer:string product:string version:string sku:string family:string
kv.SSHPublicKeyAccessCredential source:kv.SSHPublicKeyAccessCredentialSource propagationMethod:kv.SSHPublicKeyAccessCredentialPropagationMethod
kv.SSHPublicKeyAccessCredentialPropagationMethod configDrive:kv.ConfigDriveSSHPublicKeyAccessCredentialPropagation noCloud:kv.NoCloudSSHPublicKeyAccessCredentialPropagation qemuGuestAgent:kv.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation
kv.SSHPublicKeyAccessCredentialSource secret:kv.AccessCredentialSecretSource
kv.SeccompConfiguration virtualMachineInstanceProfile:kv.VirtualMachineInstanceProfile
kv.SecretVolumeSource secretName:string optional:bool volumeLabel:string
kv.Selectors namespaceSelector:string{} virtualMachineInstanceSelector:string{}
kv.ServiceAccountVolumeSource serviceAccountName:string
kv.SoundDevice name:string model:string
kv.StallDetectorOptions stallMargin:int64 ewmaAlpha:string stallProgressTimeout:uint64 switchoverTimeout:uint64 precopyPossibleFactor:string patienceWindowDecayFactor:string searchLocalMinima:bool completionTimeoutFactor:string
kv.StorageMigratedVolumeInfo volumeName:string sourcePVCInfo:kv.PersistentVolumeClaimInfo destinationPVCInfo:kv.PersistentVolumeClaimInfo
kv.StorageSpec accessModes:string[] selector:LabelSelector resources:VolumeResourceRequirements volumeName:string storageClassName:string volumeMode:string dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference
kv.SupportContainerResources type:string resources:kv.ResourceRequirementsWithoutClaims
kv.SyNICTimer enabled:bool direct:kv.FeatureState
kv.SysprepSource secret:LocalObjectReference configMap:LocalObjectReference
kv.TDX 
kv.TDXAttestationConfiguration enforced:bool qgsSocketPath:string
kv.TDXConfiguration attestation:kv.TDXAttestationConfiguration
kv.TLBFlush enabled:bool direct:kv.FeatureState extended:kv.FeatureState
kv.TLSConfiguration minTLSVersion:string ciphers:string[]
kv.TPMDevice enabled:bool persistent:bool
kv.Timer hpet:kv.HPETTimer kvm:kv.KVMTimer pit:kv.PITTimer rtc:kv.RTCTimer hyperv:kv.HypervTimer
kv.TokenBucketRateLimiter qps:float64 burst:int
kv.TopologyHints tscFrequency:int64
kv.USBHostDevice resourceName:string selectors:kv.USBSelector[] externalResourceProvider:bool
kv.USBSelector vendor:string product:string
kv.UserPasswordAccessCredential source:kv.UserPasswordAccessCredentialSource propagationMethod:kv.UserPasswordAccessCredentialPropagationMethod
kv.UserPasswordAccessCredentialPropagationMethod qemuGuestAgent:kv.QemuGuestAgentUserPasswordAccessCredentialPropagation
kv.UserPasswordAccessCredentialSource secret:kv.AccessCredentialSecretSource
kv.UtilityVolume name:string claimName:string readOnly:bool type:string
kv.VGPUDisplayOptions enabled:bool ramFB:kv.FeatureState
kv.VGPUOptions display:kv.VGPUDisplayOptions
kv.VMIMConfigurationOptions nodeDrainTaintKey:string parallelOutboundMigrationsPerNode:uint32 parallelMigrationsPerCluster:uint32 allowAutoConverge:bool bandwidthPerMigration:quantity completionTimeoutPerGiB:int64 maxDowntimeMs:uint64 progressTimeout:int64 utilityVolumesTimeout:int64 unsafeMigrationOverride:bool allowPostCopy:bool allowWorkloadDisruption:bool disableTLS:bool network:string matchSELinuxLevelOnMigration:bool experimental:kv.ExperimentalMigrationOptions
kv.VideoDevice type:string
kv.VirtTemplateDeployment enabled:bool
kv.VirtualMachine apiVersion:string kind:string metadata:ObjectMeta spec:kv.VirtualMachineSpec status:kv.VirtualMachineStatus
kv.VirtualMachineCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
kv.VirtualMachineInstance apiVersion:string kind:string metadata:ObjectMeta spec:kv.VirtualMachineInstanceSpec status:kv.VirtualMachineInstanceStatus
kv.VirtualMachineInstanceBackupStatus backupName:string startTimestamp:time endTimestamp:time completed:bool failed:bool backupMsg:string checkpointName:string volumes:kv.BackupVolumeInfo[] quiesceStatus:string
kv.VirtualMachineInstanceCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
kv.VirtualMachineInstanceGuestOSInfo name:string kernelRelease:string version:string prettyName:string versionId:string kernelVersion:string machine:string id:string
kv.VirtualMachineInstanceMigration apiVersion:string kind:string metadata:ObjectMeta spec:kv.VirtualMachineInstanceMigrationSpec status:kv.VirtualMachineInstanceMigrationStatus
kv.VirtualMachineInstanceMigrationCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
kv.VirtualMachineInstanceMigrationPhaseTransitionTimestamp phase:string phaseTransitionTimestamp:time
kv.VirtualMachineInstanceMigrationSource migrationID:string connectURL:string
kv.VirtualMachineInstanceMigrationSourceState node:string pod:string migrationUID:string domainName:string domainNamespace:string syncAddress:string persistentStatePVCName:string selinuxContext:string virtualMachineInstanceUID:string nodeSelectors:string{}
kv.VirtualMachineInstanceMigrationSpec vmiName:string addedNodeSelector:string{} sendTo:kv.VirtualMachineInstanceMigrationSource receive:kv.VirtualMachineInstanceMigrationTarget priority:string
kv.VirtualMachineInstanceMigrationState startTimestamp:time endTimestamp:time targetNodeDomainReadyTimestamp:time targetNodeDomainDetected:bool targetNodeAddress:string targetDirectMigrationNodePorts:int{} targetNode:string targetPod:string targetAttachmentPodUID:string sourceNode:string sourcePod:string completed:bool failed:bool abortRequested:bool abortStatus:string failureReason:string migrationUid:string mode:string migrationPolicyName:string migrationConfiguration:kv.VMIMConfigurationOptions targetCPUSet:int[] targetNodeTopology:string sourcePersistentStatePVCName:string targetPersistentStatePVCName:string sourceState:kv.VirtualMachineInstanceMigrationSourceState targetState:kv.VirtualMachineInstanceMigrationTargetState migrationNetworkType:string targetMemoryOverhead:quantity
kv.VirtualMachineInstanceMigrationStatus phase:string conditions:kv.VirtualMachineInstanceMigrationCondition[] phaseTransitionTimestamps:kv.VirtualMachineInstanceMigrationPhaseTransitionTimestamp[] migrationState:kv.VirtualMachineInstanceMigrationState synchronizationAddresses:string[]
kv.VirtualMachineInstanceMigrationTarget migrationID:string
kv.VirtualMachineInstanceMigrationTargetState node:string pod:string migrationUID:string domainName:string domainNamespace:string syncAddress:string persistentStatePVCName:string selinuxContext:string virtualMachineInstanceUID:string domainReadyTimestamp:time domainDetected:bool nodeAddress:string directMigrationNodePorts:int{} attachmentPodUID:string cpuSet:int[] nodeTopology:string
kv.VirtualMachineInstanceNetworkInterface ipAddress:string mac:string name:string ipAddresses:string[] podInterfaceName:string interfaceName:string infoSource:string queueCount:int32 linkState:string
kv.VirtualMachineInstancePhaseTransitionTimestamp phase:string phaseTransitionTimestamp:time
kv.VirtualMachineInstancePreset apiVersion:string kind:string metadata:ObjectMeta spec:kv.VirtualMachineInstancePresetSpec
kv.VirtualMachineInstancePresetSpec selector:LabelSelector domain:kv.DomainSpec
kv.VirtualMachineInstanceProfile customProfile:kv.CustomProfile
kv.VirtualMachineInstanceReplicaSet apiVersion:string kind:string metadata:ObjectMeta spec:kv.VirtualMachineInstanceReplicaSetSpec status:kv.VirtualMachineInstanceReplicaSetStatus
kv.VirtualMachineInstanceReplicaSetCondition type:string status:string lastProbeTime:time lastTransitionTime:time reason:string message:string
kv.VirtualMachineInstanceReplicaSetSpec replicas:int32 selector:LabelSelector template:kv.VirtualMachineInstanceTemplateSpec paused:bool
kv.VirtualMachineInstanceReplicaSetStatus replicas:int32 readyReplicas:int32 conditions:kv.VirtualMachineInstanceReplicaSetCondition[] labelSelector:string
kv.VirtualMachineInstanceResourceClaim name:string resourceClaimName:string resourceClaimTemplateName:string
kv.VirtualMachineInstanceSpec priorityClassName:string domain:kv.DomainSpec nodeSelector:string{} affinity:Affinity schedulerName:string serviceAccountName:string tolerations:Toleration[] topologySpreadConstraints:TopologySpreadConstraint[topologyKey] evictionStrategy:string startStrategy:string terminationGracePeriodSeconds:int64 volumes:kv.Volume[] livenessProbe:kv.Probe readinessProbe:kv.Probe hostname:string subdomain:string networks:kv.Network[] dnsPolicy:string dnsConfig:PodDNSConfig accessCredentials:kv.AccessCredential[] architecture:string resourceClaims:kv.VirtualMachineInstanceResourceClaim[] utilityVolumes:kv.UtilityVolume[]
kv.VirtualMachineInstanceStatus nodeName:string reason:string conditions:kv.VirtualMachineInstanceCondition[] phase:string phaseTransitionTimestamps:kv.VirtualMachineInstancePhaseTransitionTimestamp[] interfaces:kv.VirtualMachineInstanceNetworkInterface[] guestOSInfo:kv.VirtualMachineInstanceGuestOSInfo migrationState:kv.VirtualMachineInstanceMigrationState migrationMethod:string migrationTransport:string qosClass:string launcherContainerImageVersion:string evacuationNodeName:string activePods:string{} volumeStatus:kv.VolumeStatus[] kernelBootStatus:kv.KernelBootStatus fsFreezeStatus:string topologyHints:kv.TopologyHints virtualMachineRevisionName:string runtimeUser:uint64 VSOCKCID:uint32 selinuxContext:string machine:kv.Machine currentCPUTopology:kv.CPUTopology memory:kv.MemoryStatus migratedVolumes:kv.StorageMigratedVolumeInfo[] changedBlockTracking:kv.ChangedBlockTrackingStatus
kv.VirtualMachineInstanceTemplateSpec metadata:ObjectMeta spec:kv.VirtualMachineInstanceSpec
kv.VirtualMachineMemoryDumpRequest claimName:string phase:string remove:bool startTimestamp:time endTimestamp:time fileName:string message:string
kv.VirtualMachineOptions disableFreePageReporting:kv.DisableFreePageReporting disableSerialConsoleLog:kv.DisableSerialConsoleLog
kv.VirtualMachineSpec running:bool runStrategy:string instancetype:kv.InstancetypeMatcher preference:kv.PreferenceMatcher template:kv.VirtualMachineInstanceTemplateSpec dataVolumeTemplates:kv.DataVolumeTemplateSpec[] updateVolumesStrategy:string
kv.VirtualMachineStartFailure consecutiveFailCount:int lastFailedVMIUID:string retryAfterTimestamp:time
kv.VirtualMachineStateChangeRequest action:string data:string{} uid:string
kv.VirtualMachineStatus snapshotInProgress:string restoreInProgress:string created:bool ready:bool printableStatus:string conditions:kv.VirtualMachineCondition[] stateChangeRequests:kv.VirtualMachineStateChangeRequest[] volumeRequests:kv.VirtualMachineVolumeRequest[] volumeSnapshotStatuses:kv.VolumeSnapshotStatus[] startFailure:kv.VirtualMachineStartFailure memoryDumpRequest:kv.VirtualMachineMemoryDumpRequest observedGeneration:int64 desiredGeneration:int64 runStrategy:string volumeUpdateState:kv.VolumeUpdateState changedBlockTracking:kv.ChangedBlockTrackingStatus instancetypeRef:kv.InstancetypeStatusRef preferenceRef:kv.InstancetypeStatusRef
kv.VirtualMachineVolumeRequest addVolumeOptions:kv.AddVolumeOptions removeVolumeOptions:kv.RemoveVolumeOptions
kv.Volume name:string hostDisk:kv.HostDisk persistentVolumeClaim:kv.PersistentVolumeClaimVolumeSource cloudInitNoCloud:kv.CloudInitNoCloudSource cloudInitConfigDrive:kv.CloudInitConfigDriveSource sysprep:kv.SysprepSource containerDisk:kv.ContainerDiskSource ephemeral:kv.EphemeralVolumeSource emptyDisk:kv.EmptyDiskSource dataVolume:kv.DataVolumeSource configMap:kv.ConfigMapVolumeSource secret:kv.SecretVolumeSource downwardAPI:kv.DownwardAPIVolumeSource serviceAccount:kv.ServiceAccountVolumeSource downwardMetrics:kv.DownwardMetricsVolumeSource memoryDump:kv.MemoryDumpVolumeSource containerPath:kv.ContainerPathVolumeSource
kv.VolumeMigrationState migratedVolumes:kv.StorageMigratedVolumeInfo[]
kv.VolumeSnapshotStatus name:string enabled:bool reason:string
kv.VolumeStatus name:string target:string phase:string reason:string message:string persistentVolumeClaimInfo:kv.PersistentVolumeClaimInfo hotplugVolume:kv.HotplugVolumeStatus size:int64 memoryDumpVolume:kv.DomainMemoryDumpInfo containerDiskVolume:kv.ContainerDiskInfo
kv.VolumeUpdateState volumeMigrationState:kv.VolumeMigrationState
kv.Watchdog name:string i6300esb:kv.I6300ESBWatchdog diag288:kv.Diag288Watchdog
StorageProfile apiVersion:string kind:string metadata:ObjectMeta spec:any status:any
NetworkAttachmentDefinition apiVersion:string kind:string metadata:ObjectMeta spec:NetworkAttachmentDefinitionSpec
NetworkAttachmentDefinitionSpec config:string
Fault apiVersion:string kind:string metadata:ObjectMeta spec:FaultSpec status:FaultStatus
FaultSpec type:string node:string label:int32 after:quantity rate:quantity
FaultStatus nodes:string{}
`
