/**
 * The fields of every kind that the server decodes, one type a line (so this file is longer than others): what JSON calls
 * the field, its type, and for a list `[]` what merges its items (a field's name, to server-side apply with further ones, or
 * `+` for a set of plain values), for a map `{}`. A `!` is for what Go writes even where nothing is in it, a `*` for what must be there, `=3` the field's number in protobuf (`=2.3` in the
 * embedded message 2), a `?` after it for one whose zero value is a value. Read by reflection from the Go types of k8s.io/api 0.36.3 and, with the prefix `kv.`, kubevirt.io/api 1.9.0;
 * CDI's, Multus' and the lab's own kinds are written by hand, and no deeper than a lab needs.
 */
export const TYPES = `
APIService kind:string apiVersion:string metadata:ObjectMeta!=1 spec:APIServiceSpec!=2 status:APIServiceStatus!=3
APIServiceCondition type:string=1? status:string=2? lastTransitionTime:time=3 reason:string=4 message:string=5
APIServiceSpec service:ServiceReference=1 group:string=2 version:string=3 insecureSkipTLSVerify:bool=4 caBundle:bytes=5 groupPriorityMinimum:int32=7? versionPriority:int32=8?
APIServiceStatus conditions:APIServiceCondition[type]=1
AWSElasticBlockStoreVolumeSource volumeID:string*=1? fsType:string=2 partition:int32=3 readOnly:bool=4
Affinity nodeAffinity:NodeAffinity=1 podAffinity:PodAffinity=2 podAntiAffinity:PodAntiAffinity=3
AggregationRule clusterRoleSelectors:LabelSelector[]=1
AppArmorProfile type:string*=1? localhostProfile:string=2?
AttachedVolume name:string*=1? devicePath:string*=2?
AzureDiskVolumeSource diskName:string*=1? diskURI:string*=2? cachingMode:string=3? fsType:string=4? readOnly:bool=5? kind:string=6?
AzureFilePersistentVolumeSource secretName:string*=1? shareName:string*=2? readOnly:bool=3 secretNamespace:string=4?
AzureFileVolumeSource secretName:string*=1? shareName:string*=2? readOnly:bool=3
Binding apiVersion:string kind:string metadata:ObjectMeta!=1 target:ObjectReference!*=2
CSIPersistentVolumeSource driver:string*=1? volumeHandle:string*=2? readOnly:bool=3 fsType:string=4 volumeAttributes:string{}=5 controllerPublishSecretRef:SecretReference=6 nodeStageSecretRef:SecretReference=7 nodePublishSecretRef:SecretReference=8 controllerExpandSecretRef:SecretReference=9 nodeExpandSecretRef:SecretReference=10
CSIVolumeSource driver:string*=1? readOnly:bool=2? fsType:string=3? volumeAttributes:string{}=4 nodePublishSecretRef:LocalObjectReference=5
Capabilities add:string[]=1 drop:string[]=2
CephFSPersistentVolumeSource monitors:string[]!*=1 path:string=2 user:string=3 secretFile:string=4 secretRef:SecretReference=5 readOnly:bool=6
CephFSVolumeSource monitors:string[]!*=1 path:string=2 user:string=3 secretFile:string=4 secretRef:LocalObjectReference=5 readOnly:bool=6
CinderPersistentVolumeSource volumeID:string*=1? fsType:string=2 readOnly:bool=3 secretRef:SecretReference=4
CinderVolumeSource volumeID:string*=1? fsType:string=2 readOnly:bool=3 secretRef:LocalObjectReference=4
ClientIPConfig timeoutSeconds:int32=1?
ClusterRole apiVersion:string kind:string metadata:ObjectMeta!=1 rules:PolicyRule[]!=2 aggregationRule:AggregationRule=3
ClusterRoleBinding apiVersion:string kind:string metadata:ObjectMeta!=1 subjects:Subject[]=2 roleRef:RoleRef!*=3
ClusterTrustBundleProjection name:string=1? signerName:string=2? labelSelector:LabelSelector=3 optional:bool=5? path:string*=4?
Condition type:string*=1? status:string*=2? observedGeneration:int64=3 lastTransitionTime:time*=4? reason:string*=5? message:string*=6?
ConfigMap apiVersion:string kind:string metadata:ObjectMeta!=1 immutable:bool=4? data:string{}=2 binaryData:bytes{}=3
ConfigMapEnvSource name:string=1.1 optional:bool=2?
ConfigMapKeySelector name:string=1.1 key:string*=2? optional:bool=3?
ConfigMapNodeConfigSource namespace:string*=1? name:string*=2? uid:string=3 resourceVersion:string=4 kubeletConfigKey:string*=5?
ConfigMapProjection name:string=1.1 items:KeyToPath[]=2 optional:bool=4?
ConfigMapVolumeSource name:string=1.1 items:KeyToPath[]=2 defaultMode:int32=3? optional:bool=4?
Container name:string*=1? image:string=2 command:string[]=3 args:string[]=4 workingDir:string=5 ports:ContainerPort[containerPort,protocol]=6 envFrom:EnvFromSource[]=19 env:EnvVar[name]=7 resources:ResourceRequirements!=8 resizePolicy:ContainerResizePolicy[]=23 restartPolicy:string=24? restartPolicyRules:ContainerRestartRule[]=25 volumeMounts:VolumeMount[mountPath]=9 volumeDevices:VolumeDevice[devicePath]=21 livenessProbe:Probe=10 readinessProbe:Probe=11 startupProbe:Probe=22 lifecycle:Lifecycle=12 terminationMessagePath:string=13 terminationMessagePolicy:string=20 imagePullPolicy:string=14 securityContext:SecurityContext=15 stdin:bool=16 stdinOnce:bool=17 tty:bool=18
ContainerExtendedResourceRequest containerName:string*=1? resourceName:string*=2? requestName:string*=3?
ContainerImage names:string[]!=1 sizeBytes:int64=2
ContainerPort name:string=1 hostPort:int32=2 containerPort:int32*=3? protocol:string=4 hostIP:string=5
ContainerResizePolicy resourceName:string*=1? restartPolicy:string*=2?
ContainerRestartRule action:string*=1 exitCodes:ContainerRestartRuleOnExitCodes=2
ContainerRestartRuleOnExitCodes operator:string*=1 values:int32[]=2
ContainerState waiting:ContainerStateWaiting=1 running:ContainerStateRunning=2 terminated:ContainerStateTerminated=3
ContainerStateRunning startedAt:time=1
ContainerStateTerminated exitCode:int32*=1? signal:int32=2 reason:string=3 message:string=4 startedAt:time=5 finishedAt:time=6 containerID:string=7
ContainerStateWaiting reason:string=1 message:string=2
ContainerStatus name:string*=1? state:ContainerState!=2 lastState:ContainerState!=3 ready:bool*=4? restartCount:int32*=5? image:string*=6? imageID:string*=7? containerID:string=8 started:bool=9? allocatedResources:quantity{}=10 resources:ResourceRequirements=11 volumeMounts:VolumeMountStatus[mountPath]=12 user:ContainerUser=13 allocatedResourcesStatus:ResourceStatus[name]=14 stopSignal:string=15?
ContainerUser linux:LinuxContainerUser=1
ControllerRevision kind:string apiVersion:string metadata:ObjectMeta!=1 data:any=2 revision:int64*=3?
CustomResourceColumnDefinition name:string*=1? type:string*=2? format:string=3 description:string=4 priority:int32=5 jsonPath:string*=6?
CustomResourceDefinition kind:string apiVersion:string metadata:ObjectMeta!=1 spec:CustomResourceDefinitionSpec!*=2 status:CustomResourceDefinitionStatus!=3
CustomResourceDefinitionCondition type:string*=1? status:string*=2? lastTransitionTime:time=3 reason:string=4 message:string=5 observedGeneration:int64=6
CustomResourceDefinitionNames plural:string*=1? singular:string=2 shortNames:string[]=3 kind:string*=4? listKind:string=5 categories:string[]=6
CustomResourceDefinitionSpec group:string*=1? names:CustomResourceDefinitionNames!*=3 scope:string*=4? versions:CustomResourceDefinitionVersion[]!*=7 conversion:any=9? preserveUnknownFields:bool=10
CustomResourceDefinitionStatus conditions:CustomResourceDefinitionCondition[type]!=1 acceptedNames:CustomResourceDefinitionNames!=2 storedVersions:string[]!=3 observedGeneration:int64=4
CustomResourceDefinitionVersion name:string*=1? served:bool*=2? storage:bool*=3? deprecated:bool=7 deprecationWarning:string=8? schema:CustomResourceValidation=4 subresources:CustomResourceSubresources=5 additionalPrinterColumns:CustomResourceColumnDefinition[]=6 selectableFields:SelectableField[]=9
CustomResourceSubresourceScale specReplicasPath:string*=1? statusReplicasPath:string*=2? labelSelectorPath:string=3?
CustomResourceSubresourceStatus
CustomResourceSubresources status:CustomResourceSubresourceStatus=1 scale:CustomResourceSubresourceScale=2
CustomResourceValidation openAPIV3Schema:any=1?
DaemonEndpoint Port:int32*=1?
DaemonSet apiVersion:string kind:string metadata:ObjectMeta!=1 spec:DaemonSetSpec!=2 status:DaemonSetStatus!=3
DaemonSetCondition type:string*=1? status:string*=2? lastTransitionTime:time=3 reason:string=4 message:string=5
DaemonSetSpec selector:LabelSelector!*=1 template:PodTemplateSpec!*=2 updateStrategy:DaemonSetUpdateStrategy!=3 minReadySeconds:int32=4 revisionHistoryLimit:int32=6?
DaemonSetStatus currentNumberScheduled:int32*=1? numberMisscheduled:int32*=2? desiredNumberScheduled:int32*=3? numberReady:int32*=4? observedGeneration:int64=5 updatedNumberScheduled:int32=6 numberAvailable:int32=7 numberUnavailable:int32=8 collisionCount:int32=9? conditions:DaemonSetCondition[type]=10
DaemonSetUpdateStrategy type:string=1 rollingUpdate:RollingUpdateDaemonSet=2
DeleteOptions apiVersion:string kind:string gracePeriodSeconds:int64=1? preconditions:Preconditions=2 orphanDependents:bool=3? propagationPolicy:string=4? dryRun:string[]=5 ignoreStoreReadErrorWithClusterBreakingPotential:bool=6?
Deployment apiVersion:string kind:string metadata:ObjectMeta!=1 spec:DeploymentSpec!=2 status:DeploymentStatus!=3
DeploymentCondition type:string*=1? status:string*=2? lastUpdateTime:time=6 lastTransitionTime:time=7 reason:string=4 message:string=5
DeploymentSpec replicas:int32=1? selector:LabelSelector!*=2 template:PodTemplateSpec!*=3 strategy:DeploymentStrategy!=4 minReadySeconds:int32=5 revisionHistoryLimit:int32=6? paused:bool=7 progressDeadlineSeconds:int32=9?
DeploymentStatus observedGeneration:int64=1 replicas:int32=2 updatedReplicas:int32=3 readyReplicas:int32=7 availableReplicas:int32=4 unavailableReplicas:int32=5 terminatingReplicas:int32=9? conditions:DeploymentCondition[type]=6 collisionCount:int32=8?
DeploymentStrategy type:string=1 rollingUpdate:RollingUpdateDeployment=2
DownwardAPIProjection items:DownwardAPIVolumeFile[]=1
DownwardAPIVolumeFile path:string*=1? fieldRef:ObjectFieldSelector=2 resourceFieldRef:ResourceFieldSelector=3 mode:int32=4?
DownwardAPIVolumeSource items:DownwardAPIVolumeFile[]=1 defaultMode:int32=2?
EmptyDirVolumeSource medium:string=1 sizeLimit:quantity=2?
Endpoint addresses:string[+]!*=1 conditions:EndpointConditions!=2 hostname:string=3? targetRef:ObjectReference=4 deprecatedTopology:string{}=5 nodeName:string=6? zone:string=7? hints:EndpointHints=8
EndpointAddress ip:string*=1? hostname:string=3 nodeName:string=4? targetRef:ObjectReference=2
EndpointConditions ready:bool=1? serving:bool=2? terminating:bool=3?
EndpointHints forZones:ForZone[]=1 forNodes:ForNode[]=2
EndpointPort name:string=1 port:int32*=2? protocol:string=3 appProtocol:string=4?
EndpointSlice kind:string apiVersion:string metadata:ObjectMeta!=1 addressType:string*=4? endpoints:Endpoint[]!=2 ports:discovery.EndpointPort[]!=3
EndpointSubset addresses:EndpointAddress[]=1 notReadyAddresses:EndpointAddress[]=2 ports:EndpointPort[]=3
Endpoints kind:string apiVersion:string metadata:ObjectMeta!=1 subsets:EndpointSubset[]=2
EnvFromSource prefix:string=1 configMapRef:ConfigMapEnvSource=2 secretRef:SecretEnvSource=3
EnvVar name:string*=1? value:string=2 valueFrom:EnvVarSource=3
EnvVarSource fieldRef:ObjectFieldSelector=1 resourceFieldRef:ResourceFieldSelector=2 configMapKeyRef:ConfigMapKeySelector=3 secretKeyRef:SecretKeySelector=4 fileKeyRef:FileKeySelector=5
EphemeralContainer name:string*=1.1? image:string=1.2 command:string[]=1.3 args:string[]=1.4 workingDir:string=1.5 ports:ContainerPort[containerPort,protocol]=1.6 envFrom:EnvFromSource[]=1.19 env:EnvVar[name]=1.7 resources:ResourceRequirements!=1.8 resizePolicy:ContainerResizePolicy[]=1.23 restartPolicy:string=1.24? restartPolicyRules:ContainerRestartRule[]=1.25 volumeMounts:VolumeMount[mountPath]=1.9 volumeDevices:VolumeDevice[devicePath]=1.21 livenessProbe:Probe=1.10 readinessProbe:Probe=1.11 startupProbe:Probe=1.22 lifecycle:Lifecycle=1.12 terminationMessagePath:string=1.13 terminationMessagePolicy:string=1.20 imagePullPolicy:string=1.14 securityContext:SecurityContext=1.15 stdin:bool=1.16 stdinOnce:bool=1.17 tty:bool=1.18 targetContainerName:string=2
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate=1
Event apiVersion:string kind:string metadata:ObjectMeta!*=1 involvedObject:ObjectReference!*=2 reason:string=3 message:string=4 source:EventSource!=5 firstTimestamp:time=6 lastTimestamp:time=7 count:int32=8 type:string=9 eventTime:time=10 series:EventSeries=11 action:string=12 related:ObjectReference=13 reportingComponent:string=14? reportingInstance:string=15?
EventSeries count:int32=1 lastObservedTime:time=2
EventSource component:string=1 host:string=2
Eviction apiVersion:string kind:string metadata:ObjectMeta!=1 deleteOptions:DeleteOptions=2
ExecAction command:string[]=1
FCVolumeSource targetWWNs:string[]=1 lun:int32=2? fsType:string=3 readOnly:bool=4 wwids:string[]=5
FieldSelectorAttributes rawSelector:string=1 requirements:FieldSelectorRequirement[]=2
FieldSelectorRequirement key:string=1? operator:string=2? values:string[]=3
FileKeySelector volumeName:string*=1? path:string*=2? key:string*=3? optional:bool=4?
FlexPersistentVolumeSource driver:string*=1? fsType:string=2 secretRef:SecretReference=3 readOnly:bool=4 options:string{}=5
FlexVolumeSource driver:string*=1? fsType:string=2 secretRef:LocalObjectReference=3 readOnly:bool=4 options:string{}=5
FlockerVolumeSource datasetName:string=1 datasetUUID:string=2
ForNode name:string*=1?
ForZone name:string*=1?
GCEPersistentDiskVolumeSource pdName:string*=1? fsType:string=2 partition:int32=3 readOnly:bool=4
GRPCAction port:int32*=1? service:string=2?
GitRepoVolumeSource repository:string*=1? revision:string=2 directory:string=3
GlusterfsPersistentVolumeSource endpoints:string*=1? path:string*=2? readOnly:bool=3 endpointsNamespace:string=4?
GlusterfsVolumeSource endpoints:string*=1? path:string*=2? readOnly:bool=3
HTTPGetAction path:string=1 port:intorstring*=2? host:string=3 scheme:string=4 httpHeaders:HTTPHeader[]=5
HTTPHeader name:string*=1? value:string*=2?
HostAlias ip:string*=1? hostnames:string[]=2
HostIP ip:string*=1?
HostPathVolumeSource path:string*=1? type:string=2?
IPBlock cidr:string*=1? except:string[]=2
ISCSIPersistentVolumeSource targetPortal:string*=1? iqn:string*=2? lun:int32*=3? iscsiInterface:string=4 fsType:string=5 readOnly:bool=6 portals:string[]=7 chapAuthDiscovery:bool=8 chapAuthSession:bool=11 secretRef:SecretReference=10 initiatorName:string=12?
ISCSIVolumeSource targetPortal:string*=1? iqn:string*=2? lun:int32*=3? iscsiInterface:string=4 fsType:string=5 readOnly:bool=6 portals:string[]=7 chapAuthDiscovery:bool=8 chapAuthSession:bool=11 secretRef:LocalObjectReference=10 initiatorName:string=12?
ImageVolumeSource reference:string=1 pullPolicy:string=2
ImageVolumeStatus imageRef:string*=1
Job apiVersion:string kind:string metadata:ObjectMeta!=1 spec:JobSpec!=2 status:JobStatus!=3
JobCondition type:string*=1? status:string*=2? lastProbeTime:time=3 lastTransitionTime:time=4 reason:string=5 message:string=6
JobSpec parallelism:int32=1? completions:int32=2? activeDeadlineSeconds:int64=3? podFailurePolicy:PodFailurePolicy=11 successPolicy:SuccessPolicy=16 backoffLimit:int32=7? backoffLimitPerIndex:int32=12? maxFailedIndexes:int32=13? selector:LabelSelector=4 manualSelector:bool=5? template:PodTemplateSpec!*=6 ttlSecondsAfterFinished:int32=8? completionMode:string=9? suspend:bool=10? podReplacementPolicy:string=14? managedBy:string=15?
JobStatus conditions:JobCondition[type]=1 startTime:time=2? completionTime:time=3? active:int32=4 succeeded:int32=5 failed:int32=6 terminating:int32=11? completedIndexes:string=7 failedIndexes:string=10? uncountedTerminatedPods:UncountedTerminatedPods=8 ready:int32=9?
KeyToPath key:string*=1? path:string*=2? mode:int32=3?
LabelSelector matchLabels:string{}=1 matchExpressions:LabelSelectorRequirement[]=2
LabelSelectorAttributes rawSelector:string=1 requirements:LabelSelectorRequirement[]=2
LabelSelectorRequirement key:string*=1? operator:string*=2? values:string[]=3
Lease apiVersion:string kind:string metadata:ObjectMeta!=1 spec:LeaseSpec!=2
LeaseSpec holderIdentity:string=1? leaseDurationSeconds:int32=2? acquireTime:time=3? renewTime:time=4? leaseTransitions:int32=5? strategy:string=6? preferredHolder:string=7?
Lifecycle postStart:LifecycleHandler=1 preStop:LifecycleHandler=2 stopSignal:string=3?
LifecycleHandler exec:ExecAction=1 httpGet:HTTPGetAction=2 tcpSocket:TCPSocketAction=3 sleep:SleepAction=4
LimitRange apiVersion:string kind:string metadata:ObjectMeta!=1 spec:LimitRangeSpec!=2
LimitRangeItem type:string*=1? max:quantity{}=2 min:quantity{}=3 default:quantity{}=4 defaultRequest:quantity{}=5 maxLimitRequestRatio:quantity{}=6
LimitRangeSpec limits:LimitRangeItem[]!*=1
LinuxContainerUser uid:int64*=1? gid:int64*=2? supplementalGroups:int64[]=3
LoadBalancerIngress ip:string=1 hostname:string=2 ipMode:string=3? ports:PortStatus[]=4
LoadBalancerStatus ingress:LoadBalancerIngress[]=1
LocalObjectReference name:string=1
LocalVolumeSource path:string*=1? fsType:string=2?
ManagedFieldsEntry manager:string=1 operation:string=2 apiVersion:string=3 time:time=4? fieldsType:string=6 fieldsV1:any=7? subresource:string=8
MatchCondition name:string*=1? expression:string*=2?
ModifyVolumeStatus targetVolumeAttributesClassName:string=1 status:string*=2?
MutatingWebhook name:string*=1? clientConfig:WebhookClientConfig!*=2 rules:RuleWithOperations[]=3 failurePolicy:string=4? matchPolicy:string=9? namespaceSelector:LabelSelector=5 objectSelector:LabelSelector=11 sideEffects:string*=6? timeoutSeconds:int32=7? admissionReviewVersions:string[]!*=8 reinvocationPolicy:string=10? matchConditions:MatchCondition[name]=12
MutatingWebhookConfiguration kind:string apiVersion:string metadata:ObjectMeta!=1 webhooks:MutatingWebhook[name]=2
NFSVolumeSource server:string*=1? path:string*=2? readOnly:bool=3
Namespace apiVersion:string kind:string metadata:ObjectMeta!=1 spec:NamespaceSpec!=2 status:NamespaceStatus!=3
NamespaceCondition type:string*=1? status:string*=2? lastTransitionTime:time=4 reason:string=5 message:string=6
NamespaceSpec finalizers:string[]=1
NamespaceStatus phase:string=1 conditions:NamespaceCondition[type]=2
NetworkPolicy kind:string apiVersion:string metadata:ObjectMeta!=1 spec:NetworkPolicySpec!=2
NetworkPolicyEgressRule ports:NetworkPolicyPort[]=1 to:NetworkPolicyPeer[]=2
NetworkPolicyIngressRule ports:NetworkPolicyPort[]=1 from:NetworkPolicyPeer[]=2
NetworkPolicyPeer podSelector:LabelSelector=1 namespaceSelector:LabelSelector=2 ipBlock:IPBlock=3
NetworkPolicyPort protocol:string=1? port:intorstring=2? endPort:int32=3?
NetworkPolicySpec podSelector:LabelSelector!=1 ingress:NetworkPolicyIngressRule[]=2 egress:NetworkPolicyEgressRule[]=3 policyTypes:string[]=4
Node apiVersion:string kind:string metadata:ObjectMeta!=1 spec:NodeSpec!=2 status:NodeStatus!=3
NodeAddress type:string*=1? address:string*=2?
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector=1 preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm[]=2
NodeAllocatableResourceClaimStatus resourceClaimName:string*=1? containers:string[]=2 resources:quantity{}!*=3
NodeCondition type:string*=1? status:string*=2? lastHeartbeatTime:time=3 lastTransitionTime:time=4 reason:string=5 message:string=6
NodeConfigSource configMap:ConfigMapNodeConfigSource=2
NodeConfigStatus assigned:NodeConfigSource=1 active:NodeConfigSource=2 lastKnownGood:NodeConfigSource=3 error:string=4
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint!=1
NodeFeatures supplementalGroupsPolicy:bool=1?
NodeRuntimeHandler name:string=1? features:NodeRuntimeHandlerFeatures=2
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:bool=1? userNamespaces:bool=2?
NodeSelector nodeSelectorTerms:NodeSelectorTerm[]!*=1
NodeSelectorRequirement key:string*=1? operator:string*=2? values:string[]=3
NodeSelectorTerm matchExpressions:NodeSelectorRequirement[]=1 matchFields:NodeSelectorRequirement[]=2
NodeSpec podCIDR:string=1 podCIDRs:string[+]=7 providerID:string=3 unschedulable:bool=4 taints:Taint[]=5 configSource:NodeConfigSource=6 externalID:string=2
NodeStatus capacity:quantity{}=1 allocatable:quantity{}=2 phase:string=3 conditions:NodeCondition[type]=4 addresses:NodeAddress[type]=5 daemonEndpoints:NodeDaemonEndpoints!=6 nodeInfo:NodeSystemInfo!=7 images:ContainerImage[]=8 volumesInUse:string[]=9 volumesAttached:AttachedVolume[]=10 config:NodeConfigStatus=11 runtimeHandlers:NodeRuntimeHandler[]=12 features:NodeFeatures=13 declaredFeatures:string[]=14
NodeSwapStatus capacity:int64=1?
NodeSystemInfo machineID:string*=1? systemUUID:string*=2? bootID:string*=3? kernelVersion:string*=4? osImage:string*=5? containerRuntimeVersion:string*=6? kubeletVersion:string*=7? kubeProxyVersion:string*=8? operatingSystem:string*=9? architecture:string*=10? swap:NodeSwapStatus=11
NonResourceAttributes path:string=1 verb:string=2
ObjectFieldSelector apiVersion:string=1 fieldPath:string*=2?
ObjectMeta name:string=1 generateName:string=2 namespace:string=3 selfLink:string=4 uid:string=5 resourceVersion:string=6 generation:int64=7 creationTimestamp:time=8 deletionTimestamp:time=9? deletionGracePeriodSeconds:int64=10? labels:string{}=11 annotations:string{}=12 ownerReferences:OwnerReference[uid]=13 finalizers:string[+]=14 managedFields:ManagedFieldsEntry[]=17
ObjectReference kind:string=1 namespace:string=2 name:string=3 uid:string=4 apiVersion:string=5 resourceVersion:string=6 fieldPath:string=7
OwnerReference apiVersion:string*=5? kind:string*=1? name:string*=3? uid:string*=4? controller:bool=6? blockOwnerDeletion:bool=7?
PersistentVolume apiVersion:string kind:string metadata:ObjectMeta!=1 spec:PersistentVolumeSpec!=2 status:PersistentVolumeStatus!=3
PersistentVolumeClaim apiVersion:string kind:string metadata:ObjectMeta!=1 spec:PersistentVolumeClaimSpec!=2 status:PersistentVolumeClaimStatus!=3
PersistentVolumeClaimCondition type:string*=1? status:string*=2? lastProbeTime:time=3 lastTransitionTime:time=4 reason:string=5 message:string=6
PersistentVolumeClaimSpec accessModes:string[]=1 selector:LabelSelector=4 resources:VolumeResourceRequirements!=2 volumeName:string=3 storageClassName:string=5? volumeMode:string=6? dataSource:TypedLocalObjectReference=7 dataSourceRef:TypedObjectReference=8 volumeAttributesClassName:string=9?
PersistentVolumeClaimStatus phase:string=1 accessModes:string[]=2 capacity:quantity{}=3 conditions:PersistentVolumeClaimCondition[type]=4 allocatedResources:quantity{}=5 allocatedResourceStatuses:string{}=7 currentVolumeAttributesClassName:string=8? modifyVolumeStatus:ModifyVolumeStatus=9
PersistentVolumeClaimTemplate metadata:ObjectMeta!=1 spec:PersistentVolumeClaimSpec!*=2
PersistentVolumeClaimVolumeSource claimName:string*=1? readOnly:bool=2
PersistentVolumeSpec capacity:quantity{}=1 gcePersistentDisk:GCEPersistentDiskVolumeSource=2.1 awsElasticBlockStore:AWSElasticBlockStoreVolumeSource=2.2 hostPath:HostPathVolumeSource=2.3 glusterfs:GlusterfsPersistentVolumeSource=2.4 nfs:NFSVolumeSource=2.5 rbd:RBDPersistentVolumeSource=2.6 iscsi:ISCSIPersistentVolumeSource=2.7 cinder:CinderPersistentVolumeSource=2.8 cephfs:CephFSPersistentVolumeSource=2.9 fc:FCVolumeSource=2.10 flocker:FlockerVolumeSource=2.11 flexVolume:FlexPersistentVolumeSource=2.12 azureFile:AzureFilePersistentVolumeSource=2.13 vsphereVolume:VsphereVirtualDiskVolumeSource=2.14 quobyte:QuobyteVolumeSource=2.15 azureDisk:AzureDiskVolumeSource=2.16 photonPersistentDisk:PhotonPersistentDiskVolumeSource=2.17 portworxVolume:PortworxVolumeSource=2.18 scaleIO:ScaleIOPersistentVolumeSource=2.19 local:LocalVolumeSource=2.20 storageos:StorageOSPersistentVolumeSource=2.21 csi:CSIPersistentVolumeSource=2.22 accessModes:string[]=3 claimRef:ObjectReference=4 persistentVolumeReclaimPolicy:string=5 storageClassName:string=6 mountOptions:string[]=7 volumeMode:string=8? nodeAffinity:VolumeNodeAffinity=9 volumeAttributesClassName:string=10?
PersistentVolumeStatus phase:string=1 message:string=2 reason:string=3 lastPhaseTransitionTime:time=4?
PhotonPersistentDiskVolumeSource pdID:string*=1? fsType:string=2
Pod apiVersion:string kind:string metadata:ObjectMeta!=1 spec:PodSpec!=2 status:PodStatus!=3
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]=1 preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]=2
PodAffinityTerm labelSelector:LabelSelector=1 namespaces:string[]=2 topologyKey:string*=3? namespaceSelector:LabelSelector=4 matchLabelKeys:string[]=5 mismatchLabelKeys:string[]=6
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm[]=1 preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm[]=2
PodCertificateProjection signerName:string*=1 keyType:string*=2 maxExpirationSeconds:int32=3? credentialBundlePath:string=4 keyPath:string=5 certificateChainPath:string=6 userAnnotations:string{}=7
PodCondition type:string*=1? observedGeneration:int64=7 status:string*=2? lastProbeTime:time=3 lastTransitionTime:time=4 reason:string=5 message:string=6
PodDNSConfig nameservers:string[]=1 searches:string[]=2 options:PodDNSConfigOption[]=3
PodDNSConfigOption name:string=1 value:string=2?
PodDisruptionBudget apiVersion:string kind:string metadata:ObjectMeta!=1 spec:PodDisruptionBudgetSpec!=2 status:PodDisruptionBudgetStatus!=3
PodDisruptionBudgetSpec minAvailable:intorstring=1? selector:LabelSelector=2 maxUnavailable:intorstring=3? unhealthyPodEvictionPolicy:string=4?
PodDisruptionBudgetStatus observedGeneration:int64=1 disruptedPods:time{}=2 disruptionsAllowed:int32=3? currentHealthy:int32=4? desiredHealthy:int32=5? expectedPods:int32=6? conditions:Condition[type]=7
PodExtendedResourceClaimStatus requestMappings:ContainerExtendedResourceRequest[]!*=1 resourceClaimName:string*=2?
PodFailurePolicy rules:PodFailurePolicyRule[]!*=1
PodFailurePolicyOnExitCodesRequirement containerName:string=1? operator:string*=2? values:int32[]!*=3
PodFailurePolicyOnPodConditionsPattern type:string*=1? status:string=2?
PodFailurePolicyRule action:string*=1? onExitCodes:PodFailurePolicyOnExitCodesRequirement=2 onPodConditions:PodFailurePolicyOnPodConditionsPattern[]=3
PodIP ip:string*=1?
PodOS name:string*=1?
PodReadinessGate conditionType:string*=1?
PodResourceClaim name:string*=1? resourceClaimName:string=3? resourceClaimTemplateName:string=4?
PodResourceClaimStatus name:string*=1? resourceClaimName:string=2?
PodSchedulingGate name:string*=1?
PodSchedulingGroup podGroupName:string=1?
PodSecurityContext seLinuxOptions:SELinuxOptions=1 windowsOptions:WindowsSecurityContextOptions=8 runAsUser:int64=2? runAsGroup:int64=6? runAsNonRoot:bool=3? supplementalGroups:int64[]=4 supplementalGroupsPolicy:string=12? fsGroup:int64=5? sysctls:Sysctl[]=7 fsGroupChangePolicy:string=9? seccompProfile:SeccompProfile=10 appArmorProfile:AppArmorProfile=11 seLinuxChangePolicy:string=13?
PodSpec volumes:Volume[name]=1 initContainers:Container[name]=20 containers:Container[name]!*=2 ephemeralContainers:EphemeralContainer[name]=34 restartPolicy:string=3 terminationGracePeriodSeconds:int64=4? activeDeadlineSeconds:int64=5? dnsPolicy:string=6 nodeSelector:string{}=7 serviceAccountName:string=8 serviceAccount:string=9 automountServiceAccountToken:bool=21? nodeName:string=10 hostNetwork:bool=11 hostPID:bool=12 hostIPC:bool=13 shareProcessNamespace:bool=27? securityContext:PodSecurityContext=14 imagePullSecrets:LocalObjectReference[name]=15 hostname:string=16 subdomain:string=17 affinity:Affinity=18 schedulerName:string=19 tolerations:Toleration[]=22 hostAliases:HostAlias[ip]=23 priorityClassName:string=24 priority:int32=25? dnsConfig:PodDNSConfig=26 readinessGates:PodReadinessGate[]=28 runtimeClassName:string=29? enableServiceLinks:bool=30? preemptionPolicy:string=31? overhead:quantity{}=32 topologySpreadConstraints:TopologySpreadConstraint[topologyKey,whenUnsatisfiable]=33 setHostnameAsFQDN:bool=35? os:PodOS=36 hostUsers:bool=37? schedulingGates:PodSchedulingGate[name]=38 resourceClaims:PodResourceClaim[name]=39 resources:ResourceRequirements=40 hostnameOverride:string=41? schedulingGroup:PodSchedulingGroup=43
PodStatus observedGeneration:int64=17 phase:string=1 conditions:PodCondition[type]=2 message:string=3 reason:string=4 nominatedNodeName:string=11 hostIP:string=5 hostIPs:HostIP[ip]=16 podIP:string=6 podIPs:PodIP[ip]=12 startTime:time=7? initContainerStatuses:ContainerStatus[]=10 containerStatuses:ContainerStatus[]=8 qosClass:string=9 ephemeralContainerStatuses:ContainerStatus[]=13 resize:string=14 resourceClaimStatuses:PodResourceClaimStatus[name]=15 extendedResourceClaimStatus:PodExtendedResourceClaimStatus=18 allocatedResources:quantity{}=19 resources:ResourceRequirements=20 nodeAllocatableResourceClaimStatuses:NodeAllocatableResourceClaimStatus[]=21
PodTemplateSpec metadata:ObjectMeta!=1 spec:PodSpec!=2
PolicyRule verbs:string[]!*=1 apiGroups:string[]=2 resources:string[]=3 resourceNames:string[]=4 nonResourceURLs:string[]=5
PortStatus port:int32*=1? protocol:string*=2? error:string=3?
PortworxVolumeSource volumeID:string*=1? fsType:string=2 readOnly:bool=3
Preconditions uid:string=1? resourceVersion:string=2?
PreferredSchedulingTerm weight:int32*=1? preference:NodeSelectorTerm!*=2
PriorityClass apiVersion:string kind:string metadata:ObjectMeta!=1 value:int32=2? globalDefault:bool=3 description:string=4 preemptionPolicy:string=5?
Probe exec:ExecAction=1.1 httpGet:HTTPGetAction=1.2 tcpSocket:TCPSocketAction=1.3 grpc:GRPCAction=1.4 initialDelaySeconds:int32=2 timeoutSeconds:int32=3 periodSeconds:int32=4 successThreshold:int32=5 failureThreshold:int32=6 terminationGracePeriodSeconds:int64=7?
ProjectedVolumeSource sources:VolumeProjection[]!=1 defaultMode:int32=2?
QuobyteVolumeSource registry:string*=1? volume:string*=2? readOnly:bool=3 user:string=4 group:string=5 tenant:string=6
RBDPersistentVolumeSource monitors:string[]!*=1 image:string*=2? fsType:string=3 pool:string=4 user:string=5 keyring:string=6 secretRef:SecretReference=7 readOnly:bool=8
RBDVolumeSource monitors:string[]!*=1 image:string*=2? fsType:string=3 pool:string=4 user:string=5 keyring:string=6 secretRef:LocalObjectReference=7 readOnly:bool=8
ReplicaSet apiVersion:string kind:string metadata:ObjectMeta!=1 spec:ReplicaSetSpec!=2 status:ReplicaSetStatus!=3
ReplicaSetCondition type:string*=1? status:string*=2? lastTransitionTime:time=3 reason:string=4 message:string=5
ReplicaSetSpec replicas:int32=1? minReadySeconds:int32=4 selector:LabelSelector!*=2 template:PodTemplateSpec!=3
ReplicaSetStatus replicas:int32*=1? fullyLabeledReplicas:int32=2 readyReplicas:int32=4 availableReplicas:int32=5 terminatingReplicas:int32=7? observedGeneration:int64=3 conditions:ReplicaSetCondition[type]=6
ResourceAttributes namespace:string=1 verb:string=2 group:string=3 version:string=4 resource:string=5 subresource:string=6 name:string=7 fieldSelector:FieldSelectorAttributes=8 labelSelector:LabelSelectorAttributes=9
ResourceClaim name:string*=1? request:string=2
ResourceFieldSelector containerName:string=1 resource:string*=2? divisor:quantity=3
ResourceHealth resourceID:string*=1? health:string=2 message:string=6?
ResourceQuota apiVersion:string kind:string metadata:ObjectMeta!=1 spec:ResourceQuotaSpec!=2 status:ResourceQuotaStatus!=3
ResourceQuotaSpec hard:quantity{}=1 scopes:string[]=2 scopeSelector:ScopeSelector=3
ResourceQuotaStatus hard:quantity{}=1 used:quantity{}=2
ResourceRequirements limits:quantity{}=1 requests:quantity{}=2 claims:ResourceClaim[]=3
ResourceStatus name:string*=1? resources:ResourceHealth[]=2
Role apiVersion:string kind:string metadata:ObjectMeta!=1 rules:PolicyRule[]!=2
RoleBinding apiVersion:string kind:string metadata:ObjectMeta!=1 subjects:Subject[]=2 roleRef:RoleRef!*=3
RoleRef apiGroup:string=1? kind:string*=2? name:string*=3?
RollingUpdateDaemonSet maxUnavailable:intorstring=1? maxSurge:intorstring=2?
RollingUpdateDeployment maxUnavailable:intorstring=1? maxSurge:intorstring=2?
RuleWithOperations operations:string[]=1 apiGroups:string[]=2.1 apiVersions:string[]=2.2 resources:string[]=2.3 scope:string=2.4?
SELinuxOptions user:string=1 role:string=2 type:string=3 level:string=4
Scale kind:string apiVersion:string metadata:ObjectMeta!=1 spec:ScaleSpec!=2 status:ScaleStatus!=3
ScaleIOPersistentVolumeSource gateway:string*=1? system:string*=2? secretRef:SecretReference!*=3 sslEnabled:bool=4 protectionDomain:string=5 storagePool:string=6 storageMode:string=7 volumeName:string=8 fsType:string=9 readOnly:bool=10
ScaleIOVolumeSource gateway:string*=1? system:string*=2? secretRef:LocalObjectReference!*=3 sslEnabled:bool=4 protectionDomain:string=5 storagePool:string=6 storageMode:string=7 volumeName:string=8 fsType:string=9 readOnly:bool=10
ScaleSpec replicas:int32=1
ScaleStatus replicas:int32*=1? selector:string=2
ScopeSelector matchExpressions:ScopedResourceSelectorRequirement[]=1
ScopedResourceSelectorRequirement scopeName:string*=1? operator:string*=2? values:string[]=3
SeccompProfile type:string*=1? localhostProfile:string=2?
Secret apiVersion:string kind:string metadata:ObjectMeta!=1 immutable:bool=5? data:bytes{}=2 stringData:string{}=4 type:string=3
SecretEnvSource name:string=1.1 optional:bool=2?
SecretKeySelector name:string=1.1 key:string*=2? optional:bool=3?
SecretProjection name:string=1.1 items:KeyToPath[]=2 optional:bool=4?
SecretReference name:string=1 namespace:string=2
SecretVolumeSource secretName:string=1 items:KeyToPath[]=2 defaultMode:int32=3? optional:bool=4?
SecurityContext capabilities:Capabilities=1 privileged:bool=2? seLinuxOptions:SELinuxOptions=3 windowsOptions:WindowsSecurityContextOptions=10 runAsUser:int64=4? runAsGroup:int64=8? runAsNonRoot:bool=5? readOnlyRootFilesystem:bool=6? allowPrivilegeEscalation:bool=7? procMount:string=9? seccompProfile:SeccompProfile=11 appArmorProfile:AppArmorProfile=12
SelectableField jsonPath:string*=1?
SelfSubjectAccessReview kind:string apiVersion:string metadata:ObjectMeta!=1 spec:SelfSubjectAccessReviewSpec!=2
SelfSubjectAccessReviewSpec resourceAttributes:ResourceAttributes=1 nonResourceAttributes:NonResourceAttributes=2
SelfSubjectReview kind:string apiVersion:string metadata:ObjectMeta!=1
SelfSubjectRulesReview kind:string apiVersion:string metadata:ObjectMeta!=1 spec:SelfSubjectRulesReviewSpec!=2
SelfSubjectRulesReviewSpec namespace:string=1
Service apiVersion:string kind:string metadata:ObjectMeta!=1 spec:ServiceSpec!=2 status:ServiceStatus!=3
ServiceAccount apiVersion:string kind:string metadata:ObjectMeta!=1 secrets:ObjectReference[name]=2 imagePullSecrets:LocalObjectReference[]=3 automountServiceAccountToken:bool=4?
ServiceAccountTokenProjection audience:string=1 expirationSeconds:int64=2? path:string*=3?
ServicePort name:string=1 protocol:string=2 appProtocol:string=6? port:int32*=3? targetPort:intorstring=4 nodePort:int32=5
ServiceReference namespace:string*=1? name:string*=2? path:string=3? port:int32=4?
ServiceSpec ports:ServicePort[port,protocol]=1 selector:string{}=2 clusterIP:string=3 clusterIPs:string[]=18 type:string=4 externalIPs:string[]=5 sessionAffinity:string=7 loadBalancerIP:string=8 loadBalancerSourceRanges:string[]=9 externalName:string=10 externalTrafficPolicy:string=11 healthCheckNodePort:int32=12 publishNotReadyAddresses:bool=13 sessionAffinityConfig:SessionAffinityConfig=14 ipFamilies:string[]=19 ipFamilyPolicy:string=17? allocateLoadBalancerNodePorts:bool=20? loadBalancerClass:string=21? internalTrafficPolicy:string=22? trafficDistribution:string=23?
ServiceStatus loadBalancer:LoadBalancerStatus!=1 conditions:Condition[type]=2
SessionAffinityConfig clientIP:ClientIPConfig=1
SleepAction seconds:int64*=1?
StorageClass apiVersion:string kind:string metadata:ObjectMeta!=1 provisioner:string*=2? parameters:string{}=3 reclaimPolicy:string=4? mountOptions:string[]=5 allowVolumeExpansion:bool=6? volumeBindingMode:string=7? allowedTopologies:TopologySelectorTerm[]=8
StorageOSPersistentVolumeSource volumeName:string=1 volumeNamespace:string=2 fsType:string=3 readOnly:bool=4 secretRef:ObjectReference=5
StorageOSVolumeSource volumeName:string=1 volumeNamespace:string=2 fsType:string=3 readOnly:bool=4 secretRef:LocalObjectReference=5
Subject kind:string*=1? apiGroup:string=2 name:string*=3? namespace:string=4
SubjectAccessReviewStatus allowed:bool=1? denied:bool=4 reason:string=2 evaluationError:string=3
SuccessPolicy rules:SuccessPolicyRule[]!*=1
SuccessPolicyRule succeededIndexes:string=1? succeededCount:int32=2?
Sysctl name:string*=1? value:string*=2?
TCPSocketAction port:intorstring*=1? host:string=2
Taint key:string*=1? value:string=2 effect:string*=3? timeAdded:time=4?
Toleration key:string=1 operator:string=2 value:string=3 effect:string=4 tolerationSeconds:int64=5?
TopologySelectorLabelRequirement key:string*=1? values:string[]!*=2
TopologySelectorTerm matchLabelExpressions:TopologySelectorLabelRequirement[]=1
TopologySpreadConstraint maxSkew:int32*=1? topologyKey:string*=2? whenUnsatisfiable:string*=3? labelSelector:LabelSelector=4 minDomains:int32=5? nodeAffinityPolicy:string=6? nodeTaintsPolicy:string=7? matchLabelKeys:string[]=8
TypedLocalObjectReference apiGroup:string=1? kind:string*=2? name:string*=3?
TypedObjectReference apiGroup:string=1? kind:string*=2? name:string*=3? namespace:string=4?
UncountedTerminatedPods succeeded:string[]=1 failed:string[]=2
ValidatingWebhook name:string*=1? clientConfig:WebhookClientConfig!*=2 rules:RuleWithOperations[]=3 failurePolicy:string=4? matchPolicy:string=9? namespaceSelector:LabelSelector=5 objectSelector:LabelSelector=10 sideEffects:string*=6? timeoutSeconds:int32=7? admissionReviewVersions:string[]!*=8 matchConditions:MatchCondition[name]=11
ValidatingWebhookConfiguration kind:string apiVersion:string metadata:ObjectMeta!=1 webhooks:ValidatingWebhook[name]=2
Volume name:string*=1? hostPath:HostPathVolumeSource=2.1 emptyDir:EmptyDirVolumeSource=2.2 gcePersistentDisk:GCEPersistentDiskVolumeSource=2.3 awsElasticBlockStore:AWSElasticBlockStoreVolumeSource=2.4 gitRepo:GitRepoVolumeSource=2.5 secret:SecretVolumeSource=2.6 nfs:NFSVolumeSource=2.7 iscsi:ISCSIVolumeSource=2.8 glusterfs:GlusterfsVolumeSource=2.9 persistentVolumeClaim:PersistentVolumeClaimVolumeSource=2.10 rbd:RBDVolumeSource=2.11 flexVolume:FlexVolumeSource=2.12 cinder:CinderVolumeSource=2.13 cephfs:CephFSVolumeSource=2.14 flocker:FlockerVolumeSource=2.15 downwardAPI:DownwardAPIVolumeSource=2.16 fc:FCVolumeSource=2.17 azureFile:AzureFileVolumeSource=2.18 configMap:ConfigMapVolumeSource=2.19 vsphereVolume:VsphereVirtualDiskVolumeSource=2.20 quobyte:QuobyteVolumeSource=2.21 azureDisk:AzureDiskVolumeSource=2.22 photonPersistentDisk:PhotonPersistentDiskVolumeSource=2.23 projected:ProjectedVolumeSource=2.26 portworxVolume:PortworxVolumeSource=2.24 scaleIO:ScaleIOVolumeSource=2.25 storageos:StorageOSVolumeSource=2.27 csi:CSIVolumeSource=2.28 ephemeral:EphemeralVolumeSource=2.29 image:ImageVolumeSource=2.30
VolumeAttachment kind:string apiVersion:string metadata:ObjectMeta!=1 spec:VolumeAttachmentSpec!*=2 status:VolumeAttachmentStatus!=3
VolumeAttachmentSource persistentVolumeName:string=1? inlineVolumeSpec:PersistentVolumeSpec=2
VolumeAttachmentSpec attacher:string*=1? source:VolumeAttachmentSource!*=2 nodeName:string*=3?
VolumeAttachmentStatus attached:bool*=1? attachmentMetadata:string{}=2 attachError:VolumeError=3 detachError:VolumeError=4
VolumeDevice name:string*=1? devicePath:string*=2?
VolumeError time:time=1 message:string=2 errorCode:int32=3?
VolumeMount name:string*=1? readOnly:bool=2 recursiveReadOnly:string=7? mountPath:string*=3? subPath:string=4 mountPropagation:string=5? subPathExpr:string=6
VolumeMountStatus name:string*=1? mountPath:string*=2? readOnly:bool=3 recursiveReadOnly:string=4? volumeStatus:VolumeStatus=5
VolumeNodeAffinity required:NodeSelector=1
VolumeProjection secret:SecretProjection=1 downwardAPI:DownwardAPIProjection=2 configMap:ConfigMapProjection=3 serviceAccountToken:ServiceAccountTokenProjection=4 clusterTrustBundle:ClusterTrustBundleProjection=5 podCertificate:PodCertificateProjection=6
VolumeResourceRequirements limits:quantity{}=1 requests:quantity{}=2
VolumeStatus image:ImageVolumeStatus=1
VsphereVirtualDiskVolumeSource volumePath:string*=1? fsType:string=2 storagePolicyName:string=3 storagePolicyID:string=4
WebhookClientConfig url:string=3? service:ServiceReference=1 caBundle:bytes=2
WeightedPodAffinityTerm weight:int32*=1? podAffinityTerm:PodAffinityTerm!*=2
WindowsSecurityContextOptions gmsaCredentialSpecName:string=1? gmsaCredentialSpec:string=2? runAsUserName:string=3? hostProcess:bool=4?
discovery.EndpointPort name:string=1? protocol:string=2? port:int32=3? appProtocol:string=4?
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
