package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.NodeOverride;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.lifecycle.SnapshotRequest;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.cluster.FakeCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A cluster with one of everything that the API shows, so that each field of each answer has a value somewhere. */
final class ReadsRig implements AutoCloseable {
    static final PluginId DISK = PluginId.of("disk");
    private static final LogStatus LOG = new LogStatus(
            "s1",
            true,
            Optional.of("s1"),
            Optional.of(Instant.parse("2026-01-01T00:00:00Z")),
            7,
            900,
            899,
            898,
            800,
            List.of("s1", "s2"),
            new LogDetails(
                    OptionalLong.of(100),
                    Optional.of(new LogDetails.Snapshot(800, 1536, Optional.of(Duration.ofMinutes(5)))),
                    List.of(new LogDetails.Server(
                            "s2", OptionalLong.of(890), Optional.of(Duration.ofMillis(1500)), Optional.of("0.1.0"))),
                    Optional.of(Duration.ofSeconds(2)),
                    Optional.of(new LogDetails.Trouble("disk full", "free space", Duration.ofSeconds(3))),
                    4,
                    5,
                    600));

    final FakeCluster cluster = FakeCluster.builder()
            .onRealTime()
            .plugin(
                    DISK,
                    (plugin, node) ->
                            plugin.capabilities(capabilities()).attachLimit(20).mutableParameters(Set.of("iops")))
            .plugin(PluginId.of("old"), (plugin, node) -> plugin.capabilities(old()))
            .build();
    final AdminServer admin;
    private final Environment environment = Environment.system();
    private final Path directory = Files.createTempDirectory("policies");
    private final AccessPolicies policies;
    final HttpClient http = HttpClient.newHttpClient();
    final VolumeKey db;
    final Snapshot snapshot;
    final VolumeGroupSnapshot group;
    final FakeAllocation user;
    /** The id of a volume that was given up while the outcome of its creation was unknown. */
    String givenUp = "";

    /** An engine whose nodes answer, and whose plugin does not detach. */
    final AdminRig nodes = new AdminRig();

    ReadsRig() throws Exception {
        var unusedOne = cluster.addNode("n1");
        cluster.addNode("n2");
        var unusedThree = cluster.addNode("n3");
        db = cluster.createVolume(VolumeKey.of("default", "db"), spec(DISK).build());
        user = cluster.startAllocation("a1", "n1", db);
        assertThat(cluster.runUntil(user::hasMountedAll)).isTrue();
        cluster.startAllocation("a2", "n2", db);
        snapshot = cluster.await(cluster.lifecycle().snapshots().create(SnapshotRequest.of(db, "s1")));
        cluster.createVolume(
                VolumeKey.of("default", "restored"),
                spec(DISK)
                        .contentSource(new VolumeContentSource.SnapshotSource(snapshot.snapshotId()))
                        .build());
        VolumeKey logs =
                cluster.createVolume(VolumeKey.of("default", "logs"), spec(DISK).build());
        group = cluster.await(cluster.lifecycle()
                .snapshots()
                .createGroup(new GroupSnapshotRequest("g1", List.of(db, logs), Map.of())));
        cluster.storage(DISK).provision("lost-1", 1 << 30);
        cluster.storage(DISK).makeAbnormal(external(logs), 1, "Slow", "the disk is slow");
        cluster.createVolume(
                VolumeKey.of("default", "clone"),
                spec(DISK)
                        .contentSource(new VolumeContentSource.VolumeSource(ExternalVolumeId.of(external(logs))))
                        .build());
        VolumeKey grown = cluster.createVolume(
                VolumeKey.of("default", "grown"), spec(DISK).build());
        FakeAllocation writer = cluster.startAllocation("a-grown", "n2", grown);
        assertThat(cluster.runUntil(writer::hasMountedAll)).isTrue();
        cluster.node("n2").plugin(DISK).onCall(Rpc.NODE_EXPAND_VOLUME).failWith(StatusCode.UNAVAILABLE, "it is busy");
        var unusedExpansion = cluster.lifecycle().volumes().expand(grown, CapacityRange.atLeast(1 << 29));
        assertThat(cluster.runUntil(() -> cluster.state()
                        .volume(grown)
                        .flatMap(Volume::expansion)
                        .filter(expansion -> expansion.nodes().values().stream()
                                .anyMatch(node -> node.retry().attempts() > 0))
                        .isPresent()))
                .isTrue();
        cluster.createVolume(
                VolumeKey.of("default", "aged"), spec(PluginId.of("old")).build());
        cluster.await(cluster.lifecycle()
                .cluster()
                .deploymentDeclared(PluginDeployment.of(
                        DeploymentId.of("infra", "csi-disk"), Map.of(DISK, new ExpectedInstances(1, 3)))));
        cluster.await(cluster.lifecycle()
                .cluster()
                .allocationStarted(
                        AllocationId.of("driver"),
                        Namespace.of("infra"),
                        NodeId.of("n1"),
                        DeploymentId.of("infra", "csi-disk")));
        unfinished();
        onNodes();
        policies = policies();
        admin = AdminServer.builder(cluster.lifecycle())
                .log(log())
                .policies(policies)
                .start();
    }

    /** Policies with a file that is in use and one that cannot be. */
    private AccessPolicies policies() throws IOException {
        Files.writeString(directory.resolve("team-a.policy"), "cluster allow PLUGIN_LIST\n");
        AccessPolicies opened = AccessPolicies.open(directory, environment, AccessControl.off());
        Files.writeString(directory.resolve("broken.policy"), "nonsense\n");
        opened.reload();
        return opened;
    }

    /** Begins an expansion, a modification, a creation and a deletion that do not end. */
    private void unfinished() {
        VolumeLifecycle lifecycle = cluster.lifecycle();
        heldByNode(lifecycle);
        VolumeKey grows = cluster.createVolume(
                VolumeKey.of("default", "grows"), spec(DISK).build());
        fault(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.UNAVAILABLE);
        fault(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.UNAVAILABLE);
        var unusedExpansion = lifecycle.volumes().expand(grows, CapacityRange.atLeast(1 << 29));
        var unusedModification = lifecycle.volumes().modify(grows, Map.of("iops", "secret-iops"));
        owned();
        fault(Rpc.CREATE_VOLUME, StatusCode.UNKNOWN);
        VolumeKey stuck = VolumeKey.of("default", "stuck");
        var unusedCreation = lifecycle.volumes().create(stuck, spec(DISK).build());
        VolumeKey given = VolumeKey.of("default", "given-up");
        var unusedGiven = lifecycle.volumes().create(given, spec(DISK).build());
        assertThat(cluster.runUntil(() -> tried(grows, v -> v.expansion().map(Expansion::retry))
                        && tried(grows, v -> v.modification().map(Modification::retry))
                        && tried(stuck, v -> Optional.of(v.retry()))
                        && tried(given, v -> Optional.of(v.retry()))))
                .isTrue();
        cluster.await(lifecycle.operator().withdrawCreation(given, "the array is gone"));
        request("unwanted", "job-3", 3);
        VolumeKey unwanted = VolumeKey.of("default", "unwanted");
        assertThat(cluster.runUntil(() -> tried(unwanted, v -> Optional.of(v.retry()))))
                .isTrue();
        givenUp = "unwanted~" + cluster.state().volume(unwanted).orElseThrow().createIndex();
        cluster.await(lifecycle.volumes().setReclaim(unwanted, ReclaimPolicy.DELETE));
        cluster.await(lifecycle.cluster().ownerEnded(Namespace.of("default"), WorkloadOwner.of("web", 3)));
        request(
                VolumeKey.of("default", "making"),
                "job-4",
                template()
                        .ofWorkload(WorkloadOwner.of("web", 4))
                        .contentSource(VolumeContentSource.snapshot(SnapshotId.of("snap-1"))));
        assertThat(cluster.runUntil(() -> tried(VolumeKey.of("default", "making"), v -> Optional.of(v.retry()))))
                .isTrue();
    }

    /** Requests a volume that belongs to a life of workload web. */
    private void request(String volume, String allocation, long incarnation) {
        request(
                VolumeKey.of("default", volume),
                allocation,
                template().ofWorkload(WorkloadOwner.of("web", incarnation)));
    }

    private static VolumeTemplate.Builder template() {
        return VolumeTemplate.builder(VolumeClassName.of("kept"))
                .capacityRange(CapacityRange.atLeast(1 << 28))
                .requestedCapabilities(List.of(AdminRig.WRITER));
    }

    private void request(VolumeKey key, String allocation, VolumeTemplate.Builder template) {
        AllocationId id = AllocationId.of(allocation);
        VolumeLifecycle lifecycle = cluster.lifecycle();
        cluster.await(lifecycle.cluster().allocationStarted(id, key.namespace(), NodeId.of("n2")));
        cluster.await(lifecycle
                .claims()
                .request(id, List.of(ClaimRequest.writing(key, AdminRig.WRITER).madeFrom(template.build()))));
    }

    private void awaitClaimed(VolumeKey key) {
        assertThat(cluster.runUntil(() -> cluster.state()
                        .volume(key)
                        .filter(made -> !made.claims().isEmpty())
                        .isPresent()))
                .isTrue();
    }

    /** Makes a retained volume, one of a workload that runs, and one of an allocation. */
    private void owned() {
        VolumeLifecycle lifecycle = cluster.lifecycle();
        cluster.await(lifecycle
                .classes()
                .put(VolumeClass.builder(VolumeClassName.of("kept"), DISK)
                        .requestedCapabilities(List.of(AdminRig.WRITER))
                        .reclaim(ReclaimPolicy.RETAIN)
                        .build()));
        request("retained", "job-1", 1);
        request("owned", "job-2", 2);
        AllocationId scratching = AllocationId.of("job-5");
        VolumeKey scratch = VolumeKey.ofAllocation(Namespace.of("default"), scratching, "scratch");
        request(scratch, scratching.value(), template().ofAllocation());
        for (VolumeKey key : List.of(VolumeKey.of("default", "retained"), VolumeKey.of("default", "owned"), scratch)) {
            awaitClaimed(key);
        }
        cluster.await(lifecycle.cluster().allocationEnded(AllocationId.of("job-1")));
        cluster.await(lifecycle.cluster().ownerEnded(Namespace.of("default"), WorkloadOwner.of("web", 1)));
    }

    /** Ends allocations whose volumes a node cannot unmount; one of the volumes is forgotten, and one is known by another key. */
    private void heldByNode(VolumeLifecycle lifecycle) {
        for (String name : List.of("held", "forgotten", "renamed")) {
            cluster.createVolume(VolumeKey.of("default", name), spec(DISK).build());
            FakeAllocation allocation = cluster.startAllocation("a-" + name, "n3", VolumeKey.of("default", name));
            assertThat(cluster.runUntil(allocation::hasMountedAll)).isTrue();
        }
        cluster.node("n3").plugin(DISK).onCall(Rpc.NODE_UNPUBLISH_VOLUME).failWith(StatusCode.INTERNAL, "it is busy");
        for (String name : List.of("held", "forgotten", "renamed")) {
            cluster.await(lifecycle.cluster().allocationEnded(AllocationId.of("a-" + name)));
            VolumeKey key = VolumeKey.of("default", name);
            assertThat(cluster.runUntil(() -> cluster.state()
                                    .volume(key)
                                    .orElseThrow()
                                    .claims()
                                    .iterator()
                                    .next()
                                    .retry()
                                    .attempts()
                            > 0))
                    .isTrue();
        }
        VolumeKey renamed = VolumeKey.of("default", "renamed");
        String id = external(renamed);
        cluster.await(lifecycle.operator().forgetVolume(renamed, "its key is wrong"));
        cluster.await(lifecycle.operator().forgetVolume(VolumeKey.of("default", "forgotten"), "it is gone"));
        cluster.await(lifecycle
                .volumes()
                .register(
                        VolumeKey.of("default", "right"),
                        spec(DISK).externalVolumeId(ExternalVolumeId.of(id)).build()));
    }

    private void fault(Rpc rpc, StatusCode code) {
        for (String node : List.of("n1", "n2", "n3")) {
            cluster.node(node).plugin(DISK).onCall(rpc).failWith(code, "the array said no");
        }
    }

    private boolean tried(VolumeKey key, Function<Volume, Optional<Retry>> retry) {
        return cluster.state()
                .volume(key)
                .flatMap(retry)
                .filter(tried -> tried.attempts() > 0)
                .isPresent();
    }

    private void onNodes() throws Exception {
        nodes.node("n1", DISK).node("n2", DISK).node("mute", DISK);
        nodes.connection = new AgentConnection(true, Optional.of(Instant.EPOCH), "its certificate is of n7");
        for (String name : List.of("v", "v2", "v3")) {
            nodes.volume(AdminRig.key(name));
        }
        nodes.report = new NodeReport(List.of(new NodeVolume(
                AdminRig.key("v"),
                Optional.of(DISK),
                Optional.of(AdminRig.externalId(AdminRig.key("v"))),
                false,
                true,
                "the staging is read-only",
                List.of(new NodeVolume.Use(
                        AllocationId.of("a1"),
                        NodeVolume.State.UNMOUNTING,
                        Optional.of(AdminRig.WRITER),
                        false,
                        "the mount is broken")),
                Optional.of(new NodeVolume.Call(Rpc.NODE_UNPUBLISH_VOLUME, Duration.ofSeconds(3))),
                "a permit",
                "it failed",
                Duration.ofSeconds(4))));
        nodes.done(nodes.claim("a1", "n1", AdminRig.key("v")));
        var unusedWaiting = nodes.claim("a5", "n2", AdminRig.key("v"));
        var unusedBehind = nodes.claim("a6", "n2", AdminRig.key("v"));
        nodes.done(nodes.claim("a2", "n1", AdminRig.key("v2")));
        nodes.done(nodes.claim("a3", "n1", AdminRig.key("v3")));
        nodes.answers = (plugin, unpublish) -> unpublish
                ? CompletableFuture.failedFuture(AdminRig.failure(plugin, StatusCode.UNAVAILABLE))
                : CompletableFuture.completedFuture(null);
        nodes.end("a2");
        nodes.end("a3");
        nodes.awaitPage("/v1/volumes/default/v3", "\"lastError\"");
        nodes.awaitPage("/v1/volumes/default/v2", "\"lastError\"");
        hostReports();
        for (String node : List.of("n1", "n2", "mute")) {
            nodes.page("/v1/nodes/" + node);
        }
        nodes.access = (caller, wanted) -> wanted.permission() != Permission.PLUGIN_DEPLOY
                && !wanted.namespace().equals(Optional.of(Namespace.of("closed")));
        nodes.done(nodes.lifecycle.operator().forgetVolume(AdminRig.key("v3"), "it is gone"));
        nodes.done(nodes.lifecycle.operator().overrideClaim(AdminRig.key("v2"), AllocationId.of("a2"), "seen"));
    }

    /** Another machine behind a node, uses without claims, an instance that the host places, and a call that does not end. */
    private void hostReports() throws Exception {
        PluginId tape = PluginId.of("tape");
        nodes.node("n8", DISK).node("n9", tape);
        nodes.volume(AdminRig.key("v8"));
        nodes.done(nodes.claim("a8", "n8", AdminRig.key("v8")));
        NodeId n8 = NodeId.of("n8");
        InstanceKey placed = new InstanceKey(n8, DISK, PluginType.NODE, Optional.of(AllocationId.of("driver")));
        nodes.done(nodes.lifecycle
                .cluster()
                .allocationStarted(
                        AllocationId.of("driver"), Namespace.of("infra"), n8, DeploymentId.of("infra", "csi-disk")));
        nodes.expect(DISK, 1, 3);
        nodes.done(nodes.lifecycle
                .cluster()
                .nodePlugins(
                        n8,
                        List.of(PluginInstance.builder(placed, Instant.EPOCH)
                                .health(true, "")
                                .provider("disk.csi.example.com")
                                .nodeInfo(new NodeInfo(
                                        ExternalNodeId.of("i-other"), 8, Optional.of(Topology.of("zone", "z1"))))
                                .build())));
        NodeOverride lost = nodes.done(nodes.lifecycle.operator().previewNode(n8, NodeStatement.FORMER_MACHINE_LOST));
        nodes.done(nodes.lifecycle.operator().overrideNode(lost, "it burned"));
        nodes.done(nodes.lifecycle
                .cluster()
                .nodeLedger(
                        NodeId.of("n2"),
                        new LedgerReport(
                                List.of(new VolumeUse(
                                        AdminRig.key("unknown"),
                                        DISK,
                                        ExternalVolumeId.of("vol-unknown"),
                                        AllocationId.of("a7"),
                                        ClaimMode.WRITE,
                                        AdminRig.WRITER,
                                        false)),
                                List.of())));
        nodes.done(nodes.lifecycle.operator().setProvider(DISK, "disk.csi.example.com", "it is right"));
        nodes.volume(AdminRig.key("slow"), tape, 1);
        nodes.answers = (plugin, unpublish) -> plugin.equals(tape)
                ? new CompletableFuture<>()
                : unpublish
                        ? CompletableFuture.failedFuture(AdminRig.failure(plugin, StatusCode.UNAVAILABLE))
                        : CompletableFuture.completedFuture(null);
        var unusedClaim = nodes.claim("a9", "n9", AdminRig.key("slow"));
        nodes.awaitPage("/v1/calls", "tape");
    }

    /** Ends the leadership of both engines: the steps of released claims stay, and others have to answer. */
    void stepDown() throws Exception {
        nodes.lifecycle.stopLeading();
        nodes.end("a1");
        cluster.stepDown();
    }

    private static Set<FakeCapability> capabilities() {
        Set<FakeCapability> all = EnumSet.allOf(FakeCapability.class);
        all.removeAll(EnumSet.of(
                FakeCapability.OFFLINE_EXPANSION,
                FakeCapability.CONTROLLER_VOLUME_CONDITION,
                FakeCapability.NODE_VOLUME_CONDITION));
        return all;
    }

    private static Set<FakeCapability> old() {
        Set<FakeCapability> all = EnumSet.allOf(FakeCapability.class);
        all.removeAll(EnumSet.of(
                FakeCapability.OFFLINE_EXPANSION,
                FakeCapability.CONTROLLER_GET_VOLUME_HEALTH,
                FakeCapability.LIST_VOLUME_HEALTH,
                FakeCapability.NODE_GET_VOLUME_HEALTH));
        return all;
    }

    static VolumeSpec.Builder spec(PluginId plugin) {
        return VolumeSpec.builder(plugin)
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .capacityRange(CapacityRange.between(1 << 20, 1 << 30))
                .parameters(Map.of("tier", "secret-tier"))
                .sharedWith(List.of(Namespace.of("other")))
                .fencingPolicy(FencingPolicy.afterGrace(Duration.ofMinutes(5)));
    }

    String external(VolumeKey key) {
        return cluster.state()
                .volume(key)
                .flatMap(Volume::externalVolumeId)
                .orElseThrow()
                .value();
    }

    /** Returns a log that only says its status. */
    private static ReplicatedLog log() {
        return (ReplicatedLog) Proxy.newProxyInstance(
                ReadsRig.class.getClassLoader(), new Class<?>[] {ReplicatedLog.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("status")) {
                        return LOG;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    /** Returns an address; one that begins with nodes: is of the second engine. */
    URI at(String path) {
        return path.startsWith("nodes:")
                ? nodes.at(path.substring("nodes:".length()))
                : admin.uri().resolve(path);
    }

    HttpResponse<String> send(String method, String path, String body) throws Exception {
        HttpRequest.BodyPublisher sent =
                body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        return http.send(
                HttpRequest.newBuilder(at(path))
                        .header("Content-Type", "application/json")
                        .method(method, sent)
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the id of the operation that was started last. */
    String newestOperation() throws Exception {
        return JsonParser.parseString(send("GET", "/v1/operations", "").body())
                .getAsJsonObject()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject()
                .get("id")
                .getAsString();
    }

    @Override
    public void close() {
        policies.close();
        environment.close();
        for (String file : List.of("team-a.policy", "broken.policy", "")) {
            try {
                Files.delete(directory.resolve(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        nodes.close();
        admin.close();
        cluster.close();
    }
}
