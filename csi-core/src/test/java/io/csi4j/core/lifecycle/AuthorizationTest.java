package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.core.volume.WorkloadOwner;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Runs every operation without each of the rights it asks for, and holds docs/authorization.md against what it finds. */
class AuthorizationTest {
    private static final VolumeKey KEY = VolumeKey.of("volumes", "v");
    private static final SnapshotKey KEPT = SnapshotKey.of("snapshots", "kept");
    private static final AllocationId CLAIMANT = AllocationId.of("claimant");
    private static final AllocationId NEXT = AllocationId.of("waits-for-it");
    private static final AllocationId BLOCKED = AllocationId.of("waits-for-its-node");
    private static final AllocationId RUNNER = AllocationId.of("runs-the-plugin");
    private static final Leftover.Key LEFTOVER =
            new Leftover.Key(VolumeRig.PLUGIN, ExternalVolumeId.of("ext-forgotten"));
    private static final NodeId NODE = NodeId.of("n1");
    private static final DeploymentId DEPLOYMENT = DeploymentId.of("volumes", "web");
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final Set<Class<?>> VIEWS = Set.of(
            VolumeClaims.class,
            ManagedVolumes.class,
            VolumeSnapshots.class,
            OperatorActions.class,
            Cluster.class,
            VolumeClasses.class,
            VolumeQuotas.class,
            AccessTokens.class);
    private static final Namespace USERS = Namespace.of("users");
    private static final Path TABLE = Path.of("..", "docs", "authorization.md");

    /** What an answer may show. */
    private enum Displayed {
        IDS("ids and state"),
        CLAIMS("claims"),
        WAITING("waiting claims"),
        INSTANCES("instances"),
        ALLOCATIONS("their allocations"),
        MOUNT_FLAGS("mount flags"),
        PARAMETERS("parameters"),
        CONTEXTS("contexts"),
        SECRETS("secrets"),
        NAMESPACES("its other namespaces"),
        STATE("the whole state");

        private final String text;

        Displayed(String text) {
            this.text = text;
        }
    }

    private static ClaimRequest request() {
        return new ClaimRequest(KEY, ClaimMode.WRITE, USE, MountOptions.of("ext4", "planted-flag"));
    }

    private static Map<String, BiFunction<World, CallerOperations, CompletableFuture<?>>> operations() {
        Map<String, BiFunction<World, CallerOperations, CompletableFuture<?>>> all = new LinkedHashMap<>();
        all.put(
                "volumes().register(VolumeKey, VolumeSpec)",
                (w, l) -> l.volumes().register(KEY, w.spec().build()));
        all.put(
                "volumes().create(VolumeKey, VolumeSpec)",
                (w, l) -> l.volumes()
                        .create(
                                VolumeKey.of("volumes", "new"),
                                w.spec().volumeContext(VolumeContext.empty()).build()));
        all.put(
                "volumes().create(VolumeKey, VolumeClassName, CapacityRange)",
                (w, l) -> l.volumes().create(VolumeKey.of("volumes", "new"), w.put(), CapacityRange.atLeast(1)));
        all.put(
                "volumes().create(VolumeKey, VolumeTemplate)",
                (w, l) -> l.volumes().create(VolumeKey.of("volumes", "new"), VolumeTemplate.of(w.put())));
        all.put("volumes().delete(VolumeKey)", (w, l) -> l.volumes().delete(KEY));
        all.put("volumes().deleteRetained(VolumeKey)", (w, l) -> l.volumes().deleteRetained(KEY));
        all.put(
                "volumes().setReclaim(VolumeKey, ReclaimPolicy)",
                (w, l) -> l.volumes().setReclaim(KEY, ReclaimPolicy.RETAIN));
        all.put(
                "volumes().adopt(VolumeKey, Optional)",
                (w, l) -> l.volumes().adopt(KEY, Optional.of(WorkloadOwner.of("web", 1))));
        all.put("operator().withdrawDeletion(VolumeKey)", (w, l) -> l.operator().withdrawDeletion(KEY));
        all.put("volumes().deregister(VolumeKey)", (w, l) -> l.volumes().deregister(KEY));
        all.put(
                "volumes().expand(VolumeKey, CapacityRange)",
                (w, l) -> l.volumes().expand(KEY, CapacityRange.atLeast(1)));
        all.put(
                "operator().withdrawExpansion(VolumeKey)",
                (w, l) -> l.operator().withdrawExpansion(KEY));
        all.put(
                "volumes().modify(VolumeKey, Map)",
                (w, l) -> l.volumes().modify(KEY, Map.of("tier", "planted-parameter")));
        all.put("volumes().get(VolumeKey)", (w, l) -> l.volumes().get(KEY));
        all.put("claims().status(VolumeKey)", (w, l) -> l.claims().status(KEY));
        all.put(
                "claims().status(AllocationId)",
                (w, l) -> l.claims().status(CLAIMANT).thenApply(claims -> List.of(claims.held(), claims.waiting())));
        all.put("claims().waiting(WaitingQuery)", (w, l) -> l.claims().waiting(WaitingQuery.all()));
        all.put(
                "volumes().list(VolumeQuery)",
                (w, l) -> l.volumes()
                        .list(VolumeQuery.builder().namespace(KEY.namespace()).build()));
        all.put(
                "volumes().list(VolumeQuery) with a node",
                (w, l) -> l.volumes()
                        .list(VolumeQuery.builder()
                                .namespace(KEY.namespace())
                                .nodeId(NODE)
                                .build()));
        all.put(
                "volumes().list(VolumeQuery) with a workload",
                (w, l) -> l.volumes()
                        .list(VolumeQuery.builder()
                                .namespace(KEY.namespace())
                                .workload(WorkloadName.of("web"))
                                .build()));
        all.put("volumes().health(VolumeKey)", (w, l) -> l.volumes().health(KEY));
        all.put(
                "volumes().health(VolumeKey, AllocationId)",
                (w, l) -> l.volumes().health(KEY, CLAIMANT));
        all.put(
                "volumes().stats(VolumeKey, AllocationId)",
                (w, l) -> l.volumes().stats(KEY, CLAIMANT));
        all.put("claims().claim(AllocationId, List)", (w, l) -> l.claims().claim(NEXT, List.of(request())));
        all.put("claims().request(AllocationId, List)", (w, l) -> l.claims().request(NEXT, List.of(request())));
        all.put("claims().withdraw(AllocationId)", (w, l) -> l.claims().withdraw(CLAIMANT));
        all.put(
                "claims().release(VolumeKey, AllocationId)",
                (w, l) -> l.claims().release(KEY, CLAIMANT));
        all.put(
                "claims().release(VolumeKey, AllocationId, long)",
                (w, l) -> l.claims().release(KEY, CLAIMANT, 1));
        all.put("operator().detach(VolumeKey, NodeId)", (w, l) -> l.operator().detach(KEY, NODE));
        all.put(
                "claims().nodeReleased(VolumeKey, NodeId, AllocationId)",
                (w, l) -> l.claims().nodeReleased(KEY, NODE, CLAIMANT));
        all.put("operator().recheck(VolumeKey)", (w, l) -> l.operator().recheck(KEY));
        all.put(
                "operator().overrideClaim(VolumeKey, AllocationId, String)",
                (w, l) -> l.operator().overrideClaim(KEY, CLAIMANT, "pulled"));
        all.put(
                "operator().overrideAttachment(VolumeKey, NodeId, String)",
                (w, l) -> l.operator().overrideAttachment(KEY, NODE, "pulled"));
        all.put(
                "operator().forgetVolume(VolumeKey, String)",
                (w, l) -> l.operator().forgetVolume(KEY, "by the test"));
        all.put(
                "operator().withdrawCreation(VolumeKey, String)",
                (w, l) -> l.operator().withdrawCreation(VolumeKey.of("volumes", "unfinished"), "by the test"));
        all.put("operator().withdrawnCreations()", (w, l) -> l.operator().withdrawnCreations());
        all.put(
                "operator().forgetWithdrawnCreation(Key, String)",
                (w, l) -> l.operator()
                        .forgetWithdrawnCreation(new WithdrawnCreation.Key(VolumeRig.PLUGIN, "gone"), "by the test"));
        all.put("operator().leftovers()", (w, l) -> l.operator().leftovers());
        all.put(
                "operator().overrideLeftover(Key, String)",
                (w, l) -> l.operator().overrideLeftover(LEFTOVER, "by the test"));
        all.put(
                "operator().previewNode(NodeId, NodeStatement)",
                (w, l) -> l.operator().previewNode(NODE, NodeStatement.DETACHED));
        all.put(
                "operator().overrideNode(NodeOverride, String)",
                (w, l) -> l.operator()
                        .overrideNode(
                                new NodeOverride(NODE, NodeStatement.UNMOUNTED, 1, List.of(), List.of(), List.of()),
                                "pulled"));
        all.put(
                "snapshots().create(SnapshotKey, VolumeKey, Map)",
                (w, l) -> l.snapshots().create(KEPT, KEY, Map.of()));
        all.put("snapshots().delete(SnapshotKey)", (w, l) -> l.snapshots().delete(KEPT));
        all.put("snapshots().get(SnapshotKey)", (w, l) -> l.snapshots().get(KEPT));
        all.put(
                "snapshots().list(Namespace, Optional)",
                (w, l) -> l.snapshots().list(KEPT.namespace(), Optional.of(KEY)));
        all.put(
                "snapshots().forget(SnapshotKey, String)",
                (w, l) -> l.snapshots().forget(KEPT, "by the test"));
        all.put("snapshots().create(SnapshotRequest)", (w, l) -> l.snapshots().create(SnapshotRequest.of(KEY, "s2")));
        all.put(
                "snapshots().delete(PluginId, SnapshotId)",
                (w, l) -> l.snapshots().delete(VolumeRig.PLUGIN, w.snapshot.snapshotId()));
        all.put(
                "snapshots().get(PluginId, SnapshotId)",
                (w, l) -> l.snapshots().get(VolumeRig.PLUGIN, w.snapshot.snapshotId()));
        all.put(
                "snapshots().list(PluginId, Optional, int, String)",
                (w, l) -> l.snapshots().list(VolumeRig.PLUGIN, Optional.empty(), 0, ""));
        all.put("snapshots().metadata(PluginId)", (w, l) -> {
            CompletableFuture<Object> first = new CompletableFuture<>();
            l.snapshots()
                    .metadata(VolumeRig.PLUGIN)
                    .getMetadataAllocated(GetMetadataAllocatedRequest.builder(w.snapshot.snapshotId())
                            .build())
                    .subscribe(new FirstMessage(first));
            return first;
        });
        all.put(
                "snapshots().createGroup(GroupSnapshotRequest)",
                (w, l) -> l.snapshots().createGroup(new GroupSnapshotRequest("g", List.of(KEY), Map.of())));
        all.put(
                "snapshots().getGroup(PluginId, GroupSnapshotId, List)",
                (w, l) -> l.snapshots().getGroup(VolumeRig.PLUGIN, w.group.groupSnapshotId(), w.members()));
        all.put(
                "snapshots().deleteGroup(PluginId, GroupSnapshotId, List)",
                (w, l) -> l.snapshots().deleteGroup(VolumeRig.PLUGIN, w.group.groupSnapshotId(), w.members()));
        all.put(
                "volumes().listExternal(PluginId, int, String)",
                (w, l) -> l.volumes().listExternal(VolumeRig.PLUGIN, 0, ""));
        all.put("operator().orphanedVolumes(PluginId)", (w, l) -> l.operator().orphanedVolumes(VolumeRig.PLUGIN));
        all.put(
                "volumes().listAbnormal(PluginId, int, String)",
                (w, l) -> l.volumes().listAbnormal(VolumeRig.PLUGIN, 0, ""));
        all.put(
                "volumes().capacity(PluginId, GetCapacityRequest)",
                (w, l) -> l.volumes()
                        .capacity(VolumeRig.PLUGIN, GetCapacityRequest.builder().build()));
        all.put(
                "operator().storageHealth(PluginId, NodeId)",
                (w, l) -> l.operator().storageHealth(VolumeRig.PLUGIN, NODE));
        all.put("operator().plugins(PluginQuery)", (w, l) -> l.operator().plugins(PluginQuery.all()));
        all.put("operator().calls(CallQuery)", (w, l) -> l.operator().calls(CallQuery.all()));
        all.put("operator().failedCalls()", (w, l) -> l.operator().failedCalls());
        all.put("operator().nodes(NodeQuery)", (w, l) -> l.operator().nodes(NodeQuery.all()));
        all.put("operator().node(NodeId)", (w, l) -> l.operator().node(NODE));
        all.put(
                "operator().forgetUnmount(VolumeKey, NodeId, AllocationId, String)",
                (w, l) -> l.operator().forgetUnmount(KEY, NODE, CLAIMANT, "the driver is gone"));
        all.put("operator().plugin(PluginId)", (w, l) -> l.operator().plugin(VolumeRig.PLUGIN));
        all.put(
                "operator().waitForPlugin(PluginId, Duration)",
                (w, l) -> l.operator().waitForPlugin(VolumeRig.PLUGIN, Duration.ofMinutes(1)));
        all.put("operator().deletePlugin(PluginId)", (w, l) -> l.operator().deletePlugin(VolumeRig.PLUGIN));
        all.put(
                "operator().setProvider(PluginId, String, String)",
                (w, l) -> l.operator().setProvider(VolumeRig.PLUGIN, "csi.example.com", "renamed"));
        all.put(
                "operator().reconcile(PluginId, boolean)",
                (w, l) -> l.operator().reconcile(VolumeRig.PLUGIN, false));
        all.put(
                "claims().missingAuthority(Namespace, List, Set)",
                (w, l) -> l.claims().missingAuthority(KEY.namespace(), List.of(), Set.of()));
        all.put("cluster().storageCapacity()", (w, l) -> l.cluster().storageCapacity());
        all.put("cluster().nodeReady(NodeId)", (w, l) -> l.cluster().nodeReady(NODE));
        all.put(
                "cluster().nodeDisconnected(NodeId, String)",
                (w, l) -> l.cluster().nodeDisconnected(NODE, ""));
        all.put("cluster().nodeDown(NodeId, String)", (w, l) -> l.cluster().nodeDown(NODE, ""));
        all.put("cluster().nodeFenced(NodeId, String)", (w, l) -> l.cluster().nodeFenced(NODE, ""));
        all.put("cluster().nodeGone(NodeId, String)", (w, l) -> l.cluster().nodeGone(NODE, ""));
        StorageLoss loss = StorageLoss.of(NodeId.of("lost"), PluginId.of("p"), Topology.of("zone", "z"));
        all.put(
                "cluster().previewStorageLoss(StorageLoss)",
                (w, l) -> l.cluster().previewStorageLoss(loss));
        all.put(
                "cluster().nodeStorageLost(StorageLoss, String)",
                (w, l) -> l.cluster().nodeStorageLost(loss, "burned"));
        all.put("cluster().stateRestored(String)", (w, l) -> l.cluster().stateRestored("restored"));
        all.put(
                "cluster().nodeLedger(NodeId, LedgerReport)",
                (w, l) -> l.cluster().nodeLedger(NODE, LedgerReport.empty()));
        all.put(
                "cluster().nodePlugins(NodeFingerprint)",
                (w, l) -> l.cluster().nodePlugins(new NodeFingerprint(NODE, List.of(), 1, Instant.EPOCH)));
        all.put("cluster().nodePlugins(NodeId, List)", (w, l) -> l.cluster().nodePlugins(NODE, List.of()));
        all.put(
                "cluster().deploymentDeclared(PluginDeployment)",
                (w, l) -> l.cluster().deploymentDeclared(PluginDeployment.of(DEPLOYMENT, Map.of())));
        all.put(
                "cluster().deploymentRemoved(DeploymentId)",
                (w, l) -> l.cluster().deploymentRemoved(DEPLOYMENT));
        all.put(
                "cluster().allocationPlaced(AllocationId, Namespace, NodeId)",
                (w, l) -> l.cluster().allocationPlaced(AllocationId.of("new"), KEY.namespace(), NODE));
        all.put(
                "cluster().allocationPlaced(AllocationId, Namespace, NodeId, AccountName)",
                (w, l) -> l.cluster()
                        .allocationPlaced(AllocationId.of("new"), KEY.namespace(), NODE, AccountName.of("builder")));
        all.put(
                "cluster().allocationStarted(AllocationId, Namespace, NodeId, AccountName)",
                (w, l) -> l.cluster()
                        .allocationStarted(AllocationId.of("new"), KEY.namespace(), NODE, AccountName.of("builder")));
        all.put(
                "cluster().allocationStarted(AllocationId, Namespace, NodeId)",
                (w, l) -> l.cluster().allocationStarted(AllocationId.of("new"), KEY.namespace(), NODE));
        all.put(
                "cluster().allocationStarted(AllocationId, Namespace, NodeId, DeploymentId)",
                (w, l) -> l.cluster().allocationStarted(AllocationId.of("new"), KEY.namespace(), NODE, DEPLOYMENT));
        all.put(
                "cluster().allocationStopping(AllocationId, Namespace, NodeId)",
                (w, l) -> l.cluster().allocationStopping(AllocationId.of("new"), KEY.namespace(), NODE));
        all.put("cluster().allocationEnded(AllocationId)", (w, l) -> l.cluster().allocationEnded(CLAIMANT));
        all.put(
                "cluster().allocationForgotten(AllocationId)",
                (w, l) -> l.cluster().allocationForgotten(CLAIMANT));
        all.put(
                "cluster().ownerEnded(Namespace, WorkloadOwner)",
                (w, l) -> l.cluster().ownerEnded(KEY.namespace(), WorkloadOwner.of("web", 1)));
        all.put("classes().put(VolumeClass)", (w, l) -> l.classes().put(w.volumeClass()));
        all.put("classes().put(VolumeClass, long)", (w, l) -> l.classes().put(w.volumeClass(), 0));
        all.put("classes().list(VolumeClassQuery)", (w, l) -> {
            w.put();
            return l.classes().list(VolumeClassQuery.usableIn(USERS));
        });
        all.put("classes().list(VolumeClassQuery) without a namespace", (w, l) -> {
            w.put();
            return l.classes().list(VolumeClassQuery.all());
        });
        all.put("classes().get(VolumeClassName)", (w, l) -> l.classes().get(w.put()));
        all.put(
                "classes().get(Namespace, VolumeClassName)",
                (w, l) -> l.classes().get(USERS, w.put()));
        all.put(
                "classes().capacity(VolumeClassName, Optional, int)",
                (w, l) -> l.classes().capacity(w.put(), Optional.empty(), 10));
        all.put("classes().remove(VolumeClassName)", (w, l) -> l.classes().remove(w.put()));
        all.put(
                "cluster().putPluginProfile(PluginProfile, long)",
                (w, l) -> l.cluster().putPluginProfile(World.profile(), 0));
        all.put("cluster().removePluginProfile(PluginId)", (w, l) -> {
            w.rig.done(w.host.cluster().putPluginProfile(World.profile(), 0));
            return l.cluster().removePluginProfile(World.profile().pluginId());
        });
        all.put(
                "cluster().pluginProfile(PluginId)",
                (w, l) -> l.cluster().pluginProfile(World.profile().pluginId()));
        all.put("cluster().pluginProfiles(Optional, int)", (w, l) -> l.cluster().pluginProfiles(Optional.empty(), 5));
        all.put("quotas().put(VolumeQuota)", (w, l) -> l.quotas().put(World.quota()));
        all.put("quotas().put(VolumeQuota, long)", (w, l) -> l.quotas().put(World.quota(), 0));
        all.put("quotas().list(QuotaQuery)", (w, l) -> {
            w.putQuota();
            return l.quotas().list(QuotaQuery.of(USERS));
        });
        all.put("quotas().list(QuotaQuery) without a namespace", (w, l) -> {
            w.putQuota();
            return l.quotas().list(QuotaQuery.all());
        });
        all.put("quotas().get(QuotaKey)", (w, l) -> l.quotas().get(w.putQuota()));
        all.put("quotas().remove(QuotaKey)", (w, l) -> l.quotas().remove(w.putQuota()));
        all.put(
                "accessTokens().create(AccessTokenRequest)",
                (w, l) -> l.accessTokens().create(AccessTokenRequest.management("root")));
        all.put(
                "accessTokens().createFirst(String, AccessTokenSecret)",
                (w, l) -> l.accessTokens().createFirst("first", AccessTokenSecret.generate()));
        all.put("accessTokens().list(AccessTokenQuery)", (w, l) -> {
            w.token();
            return l.accessTokens().list(AccessTokenQuery.all());
        });
        all.put("accessTokens().get(AccessTokenId)", (w, l) -> l.accessTokens().get(w.token()));
        all.put(
                "accessTokens().revoke(AccessTokenId)",
                (w, l) -> l.accessTokens().revoke(w.token()));
        return all;
    }

    /** A claimed volume that one more waits for, with all that must not be shown, and a plugin that an allocation runs. */
    private static final class World {
        private final VolumeRig rig = VolumeRig.started();
        private final Set<Access> asked = new LinkedHashSet<>();
        private final VolumeLifecycle host;
        private final CallerOperations lifecycle;
        private final Snapshot snapshot;
        private final VolumeGroupSnapshot group;
        private final CompletableFuture<ClaimGrant> waiting;
        private Predicate<Access> allowed = access -> true;

        World() {
            rig.access = (caller, access) -> {
                boolean host = !caller.getName().equals("eve");
                if (!host) {
                    asked.add(access);
                }
                return host || allowed.test(access);
            };
            host = rig.engine();
            host.startLeading();
            rig.ok(new VolumeCommand.RegisterVolume(
                    KEY, spec().build(), VolumeOrigin.REGISTERED, ProviderFacts.none(), rig.now()));
            forget(VolumeKey.of("volumes", "forgotten"));
            place(RUNNER, "plugins");
            place(CLAIMANT, "volumes");
            place(NEXT, "team");
            PluginInstance plain = rig.log.snapshot().instances().iterator().next();
            rig.ok(new PluginCommand.FingerprintNode(
                    NODE,
                    List.of(PluginInstance.builder(
                                    new InstanceKey(NODE, VolumeRig.PLUGIN, PluginType.MONOLITH, Optional.of(RUNNER)),
                                    rig.now())
                            .capabilities(plain.capabilities().withServices(PluginService.values()))
                            .nodeInfo(plain.nodeInfo().orElse(null))
                            .build()),
                    rig.now()));
            rig.done(host.claims().claim(CLAIMANT, List.of(request())));
            rig.node("no-plugin");
            place(BLOCKED, "volumes", NodeId.of("no-plugin"));
            waiting = host.claims().claim(BLOCKED, List.of(request()));
            rig.run();
            assertThat(waiting).isNotDone();
            snapshot = rig.done(host.snapshots().create(SnapshotRequest.of(KEY, "s")));
            rig.storeSnapshot(KEPT, KEY);
            group = rig.done(host.snapshots().createGroup(new GroupSnapshotRequest("g", List.of(KEY), Map.of())));
            rig.gateway.answer(
                    Rpc.LIST_VOLUMES,
                    request -> new ListVolumesResponse(
                            List.of(new ListVolumesResponse.Entry(
                                    ExternalVolume.builder(rig.get(KEY).remoteId())
                                            .volumeContext(VolumeContext.of(Map.of("portal", "planted-context")))
                                            .build(),
                                    Optional.empty())),
                            ""));
            rig.gateway.answer(
                    Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                    request -> new ControllerListVolumeHealthResponse(
                            List.of(new VolumeHealth(
                                    rig.get(KEY).remoteId(),
                                    List.of(new VolumeHealthEntry(
                                            VolumeHealthStatus.DEGRADED, 1, "DiskSlow", "slow")))),
                            ""));
            rig.gateway.answer(
                    Rpc.GET_METADATA_ALLOCATED,
                    request -> new MetadataPage<GetMetadataAllocatedResponse>(List.of(), true));
            lifecycle = host.as(() -> "eve");
        }

        private void forget(VolumeKey key) {
            rig.ok(new VolumeCommand.RegisterVolume(
                    key,
                    VolumeRig.spec()
                            .externalVolumeId(LEFTOVER.externalVolumeId())
                            .build(),
                    VolumeOrigin.REGISTERED,
                    ProviderFacts.none(),
                    rig.now()));
            rig.ok(new AttachmentCommand.RecordOrphan(
                    key, NODE, ExternalNodeId.of("ext-node"), rig.get(key).modifyIndex(), rig.now()));
            rig.ok(new VolumeCommand.ForgetVolume(key, 0, "operator", "by the test", rig.now()));
        }

        io.csi4j.core.volume.VolumeSpec.Builder spec() {
            return VolumeRig.spec()
                    .mountOptions(MountOptions.of("ext4", "planted-flag"))
                    .parameters(Map.of("pool", "planted-parameter"))
                    .volumeContext(VolumeContext.of(Map.of("portal", "planted-context")))
                    .sharedWith(List.of(Namespace.of("team")));
        }

        /** Returns a class that two namespaces of the test, and one that no caller may see, may use. */
        VolumeClass volumeClass() {
            return VolumeClass.builder(VolumeClassName.of("fast"), VolumeRig.PLUGIN)
                    .requestedCapabilities(List.of(USE))
                    .mountOptions(MountOptions.of("ext4", "planted-flag"))
                    .parameters(Map.of("pool", "planted-parameter"))
                    .secrets(VolumeRig.SECRETS)
                    .namespaces(List.of(KEY.namespace(), USERS, Namespace.of("planted-namespace")))
                    .build();
        }

        VolumeClassName put() {
            rig.done(host.classes().put(volumeClass()));
            return volumeClass().name();
        }

        static PluginProfile profile() {
            return PluginProfile.builder(VolumeRig.PLUGIN).workloadInfo(true).build();
        }

        static VolumeQuota quota() {
            return new VolumeQuota(QuotaKey.of(USERS), OptionalLong.of(9), OptionalLong.empty());
        }

        QuotaKey putQuota() {
            rig.done(host.quotas().put(quota()));
            return quota().key();
        }

        /** Creates an access token. */
        AccessTokenId token() {
            return rig.done(host.accessTokens().create(AccessTokenRequest.management("root")))
                    .token()
                    .id();
        }

        List<SnapshotId> members() {
            return group.snapshots().stream().map(Snapshot::snapshotId).toList();
        }

        private void place(AllocationId id, String namespace) {
            place(id, namespace, NODE);
        }

        private void place(AllocationId id, String namespace, NodeId nodeId) {
            rig.ok(new AllocationCommand.UpsertAllocation(
                    id, Namespace.of(namespace), nodeId, Optional.empty(), AllocationStatus.RUNNING, rig.now()));
        }
    }

    /** What a stream shows first: a message, its end, or its failure. */
    private record FirstMessage(CompletableFuture<Object> first)
            implements Flow.Subscriber<GetMetadataAllocatedResponse> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(GetMetadataAllocatedResponse message) {
            first.complete(message);
        }

        @Override
        public void onError(Throwable failure) {
            first.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            first.complete(List.of());
        }
    }

    /** Whether it was refused, what it asked for, and what the answer showed. */
    private record Run(Optional<Access> refused, Set<Access> asked, Set<Displayed> displayed) {}

    private static Run run(
            BiFunction<World, CallerOperations, CompletableFuture<?>> operation, Predicate<Access> allowed) {
        World world = new World();
        world.allowed = allowed;
        Object answer;
        Set<Displayed> displayed = EnumSet.noneOf(Displayed.class);
        try {
            CompletableFuture<?> future = operation.apply(world, world.lifecycle);
            world.rig.run();
            assertThat(future).isDone();
            answer = future.join();
        } catch (AccessDeniedException e) {
            return refused(world, e);
        } catch (CompletionException e) {
            if (e.getCause() instanceof AccessDeniedException denied) {
                return refused(world, denied);
            }
            // Allowed, and of no use here: a volume in use is not deleted, for one. The refusal has the ids of the
            // request; all else in it is an answer.
            answer = null;
            if (e.getCause() instanceof RejectedException rejected) {
                query(rejected.reason(), displayed, Collections.newSetFromMap(new IdentityHashMap<>()), 0);
                displayed.remove(Displayed.IDS);
            }
        }
        query(answer, displayed, Collections.newSetFromMap(new IdentityHashMap<>()), 0);
        return new Run(Optional.empty(), world.asked, displayed);
    }

    private static Run refused(World world, AccessDeniedException denied) {
        Access last = new ArrayList<>(world.asked).get(world.asked.size() - 1);
        assertThat(denied).hasMessageContaining(last.permission().name());
        return new Run(Optional.of(last), world.asked, Set.of());
    }

    /** All that a caller can get at by public methods without parameters. */
    private static void query(Object value, Set<Displayed> displayed, Set<Object> visited, int depth) {
        if (value == null || depth > 14 || !visited.add(value)) {
            return;
        }
        if (value instanceof CommandLog) {
            displayed.add(Displayed.STATE);
        } else if (value instanceof Optional<?> optional) {
            query(optional.orElse(null), displayed, visited, depth + 1);
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, one) -> {
                query(key, displayed, visited, depth + 1);
                query(one, displayed, visited, depth + 1);
            });
        } else if (value instanceof CharSequence text) {
            text(text.toString(), displayed);
        } else if (value instanceof Iterable<?> several) {
            several.forEach(one -> query(one, displayed, visited, depth + 1));
        }
        if (value instanceof PluginInstance) {
            displayed.add(Displayed.INSTANCES);
        }
        if (!(value instanceof CommandLog)) {
            planted(value.toString(), displayed);
        }
        boolean ours = value.getClass().getName().startsWith("io.csi4j.") && !(value instanceof CommandLog);
        if (ours && !(value instanceof Enum<?>)) {
            for (Method method : value.getClass().getMethods()) {
                if (method.getParameterCount() == 0
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getDeclaringClass().getName().startsWith("io.csi4j.")
                        && !method.getReturnType().isPrimitive()
                        && !method.getReturnType().equals(value.getClass())
                        && !List.of("toBuilder", "toString", "iterator").contains(method.getName())) {
                    try {
                        method.setAccessible(true);
                        query(method.invoke(value), displayed, visited, depth + 1);
                    } catch (ReflectiveOperationException e) {
                        // An accessor that does not apply to this value, such as the first of nothing, shows nothing.
                        assertThat(e.getCause()).isInstanceOf(RuntimeException.class);
                    }
                }
            }
        }
    }

    private static void text(String text, Set<Displayed> displayed) {
        if (!text.isEmpty()) {
            displayed.add(Displayed.IDS);
        }
    }

    /** Also what the text of a value shows. */
    private static void planted(String text, Set<Displayed> displayed) {
        Map<String, Displayed> planted = Map.of(
                RUNNER.value(),
                Displayed.ALLOCATIONS,
                CLAIMANT.value(),
                Displayed.CLAIMS,
                BLOCKED.value(),
                Displayed.WAITING,
                "planted-flag",
                Displayed.MOUNT_FLAGS,
                "planted-parameter",
                Displayed.PARAMETERS,
                "hunter2",
                Displayed.SECRETS,
                "planted-namespace",
                Displayed.NAMESPACES,
                "planted-context",
                Displayed.CONTEXTS);
        planted.forEach((secret, what) -> {
            if (text.contains(secret)) {
                displayed.add(what);
            }
        });
    }

    private static String name(Access access) {
        String of = access.namespace()
                .map(namespace -> switch (namespace.value()) {
                    case "volumes" -> " of the volume";
                    case "snapshots" -> " of the snapshot";
                    case "users" -> " of the namespace";
                    case "plugins", "team" -> " of the allocation";
                    default -> throw new AssertionError(namespace);
                })
                .orElse("");
        return "`" + access.permission() + "`" + of;
    }

    private static String names(Set<Access> accesses) {
        return accesses.isEmpty()
                ? "-"
                : accesses.stream().map(AuthorizationTest::name).sorted().collect(Collectors.joining(", "));
    }

    private static String texts(Set<Displayed> displayed) {
        return displayed.isEmpty()
                ? "-"
                : displayed.stream().map(one -> one.text).collect(Collectors.joining(", "));
    }

    private static String row(String name, BiFunction<World, CallerOperations, CompletableFuture<?>> operation) {
        Run all = run(operation, access -> true);
        assertThat(all.refused()).as(name).isEmpty();
        Set<Access> needed = new LinkedHashSet<>();
        Set<Access> optional = new LinkedHashSet<>();
        List<Access> toDeny = new ArrayList<>(all.asked());
        for (int i = 0; i < toDeny.size(); i++) {
            Access denied = toDeny.get(i);
            Run without = run(operation, access -> !access.equals(denied));
            (without.refused().isPresent() ? needed : optional).add(denied);
            without.asked().stream().filter(access -> !toDeny.contains(access)).forEach(toDeny::add);
        }
        Run least = run(operation, needed::contains);
        assertThat(least.refused())
                .as("%s is allowed with only %s", name, needed)
                .isEmpty();
        Set<Displayed> more = EnumSet.noneOf(Displayed.class);
        more.addAll(all.displayed());
        more.removeAll(least.displayed());
        return "| `" + name + "` | " + names(needed) + " | " + texts(least.displayed()) + " | " + names(optional)
                + " | " + texts(more) + " |";
    }

    @Test
    void operationsRequirePermissionsListedInAuthorizationDocument() throws Exception {
        List<String> rows = new ArrayList<>();
        operations().forEach((name, operation) -> rows.add(row(name, operation)));
        Path found = Path.of("target", "authorization.md");
        Files.createDirectories(found.getParent());
        Files.write(found, rows);
        assertThat(Files.readAllLines(TABLE).stream()
                        .filter(line -> line.startsWith("| `") && line.contains("("))
                        .toList())
                .as("the table in docs/authorization.md; the rows that hold now are in %s", found.toAbsolutePath())
                .isEqualTo(rows);
    }

    @Test
    void authorizationDocumentListsEveryOperation() {
        Set<String> names = new TreeSet<>();
        operations().keySet().forEach(name -> names.add(name.replaceAll("\\) .*", ")")));
        Set<String> methods = new TreeSet<>(methods("", CallerOperations.class));
        methods.remove("withSecrets(Secrets)");
        for (Method view : CallerOperations.class.getMethods()) {
            if (VIEWS.contains(view.getReturnType())) {
                methods.remove(view.getName() + "()");
                methods.addAll(methods(view.getName() + "().", view.getReturnType()));
            }
        }
        assertThat(names).isEqualTo(methods);
    }

    private static Set<String> methods(String prefix, Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(method -> prefix + method.getName() + "("
                        + Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .collect(Collectors.joining(", "))
                        + ")")
                .collect(Collectors.toSet());
    }

    @Test
    void missingPermissionFailsFutureInsteadOfThrowing() {
        operations().forEach((name, operation) -> {
            World world = new World();
            world.allowed = access -> false;
            assertThat(operation.apply(world, world.lifecycle)).as(name).isNotNull();
        });
    }

    @Test
    void callerCanNeitherCloseTheEngineNorActForAnotherCaller() {
        assertThat(AutoCloseable.class.isAssignableFrom(CallerOperations.class)).isFalse();
        assertThat(new World().lifecycle.withSecrets(Secrets.empty())).isNotInstanceOf(VolumeLifecycle.class);
        assertThat(new World().lifecycle).isNotInstanceOf(VolumeLifecycle.class);
        assertThat(methods("", CallerOperations.class)).doesNotContain("as(Principal)", "log()", "close()");
    }

    @Test
    void authorizationDocumentExplainsEveryPermission() throws Exception {
        String document = Files.readString(TABLE);
        for (Permission permission : Permission.values()) {
            assertThat(document).contains("| `" + permission + "` |");
        }
    }
}
