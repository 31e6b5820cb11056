package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminServer;
import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.micrometer.CsiMeters;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.cluster.FakeCluster;
import io.csi4j.testkit.cluster.FakeClusterBuilder;
import io.csi4j.testkit.fault.Fault;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The symptoms of the runbook in a cluster, found and cured with the commands that the runbook names. */
class RunbookTest {
    private static final String RUNBOOK = DocumentedCommands.page("guide/runbook.md");
    private static final VolumeKey DB = VolumeKey.of("default", "db");
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Pattern PREVIEW = Pattern.compile("\"preview\" *: *\"([0-9a-f]+)\"");

    private final Map<String, String> values = new HashMap<>(
            Map.of("NAMESPACE", "default", "VOLUME", "db", "NODE", "n1", "ALLOCATION", "web-1", "TEXT", "ticket-4711"));
    private FakeCluster cluster = start(FakeCluster.builder());
    private AdminServer admin = serve();

    private FakeCluster start(FakeClusterBuilder builder) {
        FakeCluster started = builder.onRealTime().build();
        values.put("PLUGIN", started.plugin().value());
        return started;
    }

    private AdminServer serve() {
        try {
            AdminServer server = AdminServer.builder(cluster.lifecycle()).start();
            values.put("ADDRESS", server.uri().toString());
            return server;
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @AfterEach
    void close() {
        admin.close();
        cluster.close();
    }

    /**
     * Runs a command of the runbook, as an operator at a terminal who answers its question with yes.
     *
     * @return its output
     */
    private String run(String section, String command, String... options) {
        return run(0, section, command, options);
    }

    private String run(int exitCode, String section, String command, String... options) {
        assertThat(DocumentedCommands.in(DocumentedCommands.section(RUNBOOK, section)))
                .as("the commands of the section %s", section)
                .contains(command);
        Shell shell = new Shell();
        shell.environment.put("CSI_ADDRESS", values.getOrDefault("ADDRESS", ""));
        shell.keyPrefix = UUID.randomUUID() + "-";
        shell.inIsTerminal = true;
        shell.input = "yes\n";
        String line = command
                + String.join(
                        "",
                        List.of(options).stream().map(option -> " " + option).toList());
        assertThat(shell.run(DocumentedCommands.arguments(line, values)))
                .as("%s: %s", line, shell.errors())
                .isEqualTo(exitCode);
        return shell.output();
    }

    private void await(BooleanSupplier condition) {
        assertThat(cluster.runUntil(condition))
                .as("%s", cluster.state().volume(DB))
                .isTrue();
    }

    private Volume volume() {
        return cluster.state().volume(DB).orElseThrow();
    }

    private boolean free() {
        return volume().claims().isEmpty() && volume().attachments().isEmpty();
    }

    private FakeAllocation start(String allocation, String node) {
        return cluster.startAllocation(allocation, node, DB);
    }

    /** A volume that is mounted on node n1 of two. */
    private FakeAllocation mounted() {
        cluster.addNode("n1");
        cluster.addNode("n2");
        cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        FakeAllocation user = start("web-1", "n1");
        await(user::hasMountedAll);
        return user;
    }

    private void ended(AllocationId allocation) {
        cluster.await(cluster.lifecycle().cluster().allocationEnded(allocation));
    }

    /** The creation of a volume whose plugin does not make it. */
    private CompletableFuture<?> creation() {
        return cluster.lifecycle()
                .volumes()
                .create(
                        DB,
                        VolumeSpec.builder(cluster.plugin())
                                .requestedCapabilities(
                                        List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .capacityRange(CapacityRange.atLeast(1 << 20))
                                .build());
    }

    @Test
    void lostNodeIsReportedAsFenced() {
        mounted();
        cluster.node("n1").crash();
        FakeAllocation next = start("web-2", "n2");
        await(next::isRunning);
        assertThat(run("A node is lost", "csi node list --status DOWN")).contains("n1", "crashed");
        assertThat(run("A node is lost", "csi volume status NAMESPACE VOLUME")).contains("web-1", "n1");
        await(() -> run("A claim waits", "csi claim waiting").contains("web-2"));
        assertThat(run("A claim waits", "csi claim waiting")).contains("CLAIMED_ON_OTHER_NODE");
        run("A node is lost", "csi node fenced NODE --reason TEXT");
        await(next::hasMountedAll);
        assertThat(run("A claim waits", "csi claim waiting")).doesNotContain("web-2");
        assertThat(run("A claim waits", "csi volume status NAMESPACE VOLUME")).doesNotContain("web-1");
    }

    @Test
    void nodeThatOnlyDoesNotAnswerIsListedAsDisconnected() {
        mounted();
        assertThat(run("A node is lost", "csi node list --status DISCONNECTED")).isEqualTo("none\n");
        cluster.await(cluster.lifecycle().cluster().nodeDisconnected(NodeId.of("n1"), "no call for 6 s"));
        assertThat(run("A node is lost", "csi node list --status DISCONNECTED")).contains("n1", "no call for 6 s");
        assertThat(run("A node is lost", "csi node list --status DOWN")).isEqualTo("none\n");
    }

    @Test
    void lostNodeThatStaysInTheStateIsOverriddenAfterItsPreview() {
        mounted();
        cluster.node("n1").crash();
        FakeAllocation next = start("web-2", "n2");
        String override = "csi node override NODE --statement UNMOUNTED --reason TEXT";
        Matcher preview = PREVIEW.matcher(run("A node is lost", override + " --dry-run", "--json"));
        assertThat(preview.find()).isTrue();
        assertThat(volume().claims().size()).isEqualTo(1);
        values.put("PREVIEW", preview.group(1));
        run("A node is lost", override + " --preview PREVIEW");
        await(next::hasMountedAll);
    }

    @Test
    void oneVolumeOfLostNodeIsOverridden() {
        mounted();
        cluster.node("n1").crash();
        FakeAllocation next = start("web-2", "n2");
        run("A node is lost", "csi claim override NAMESPACE VOLUME ALLOCATION --reason TEXT");
        await(next::hasMountedAll);
        assertThat(cluster.state().node(NodeId.of("n1"))).isPresent();
    }

    @Test
    void volumesOfLostDisksEndWithTheirNode() {
        cluster.addNode("n1", "zone-1");
        cluster.addNode("n2", "zone-2");
        VolumeSpec local = VolumeSpec.builder(cluster.plugin())
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .accessibilityRequirements(
                        TopologyRequirement.requisite(Topology.of("topology.csi4j.io/zone", "zone-1")))
                .build();
        cluster.createVolume(DB, local);
        VolumeKey named = VolumeKey.of("default", "named");
        cluster.createVolume(named, local);
        values.put("VOLUME", "named");
        cluster.node("n1").crash();
        Fault failing = cluster.node("n2").plugin().onCall(Rpc.DELETE_VOLUME).failWith(StatusCode.UNAVAILABLE, "gone");
        String section = "A node is lost";
        run(section, "csi node gone NODE --reason TEXT");
        CompletableFuture<?> deletion = cluster.lifecycle().volumes().delete(DB);
        failing.awaitUse(1, LIMIT);
        values.put("KEY=VALUE", "topology.csi4j.io/zone=zone-1");
        String lost = "csi node storage-lost NODE --plugin PLUGIN --segment KEY=VALUE --reason TEXT";
        assertThat(run(section, lost + " --dry-run")).contains("db", "named", "name it to end it");
        assertThat(cluster.state().volume(DB)).isPresent();
        run(section, lost);
        assertThat(cluster.state().volume(DB)).isEmpty();
        assertThat(cluster.state().volume(named)).isPresent();
        await(deletion::isDone);
        run(section, lost + " --namespace NAMESPACE --volume VOLUME");
        assertThat(cluster.state().volume(named)).isEmpty();
    }

    @Test
    void detachThatFailsIsRepeatedAtOnce() {
        FakeAllocation user = mounted();
        List<Fault> faults = List.of("n1", "n2").stream()
                .map(node -> cluster.node(node)
                        .plugin()
                        .onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME)
                        .failWith(StatusCode.INTERNAL, "the array is busy"))
                .toList();
        ended(user.id());
        await(() -> run("A release does not end", "csi volume status NAMESPACE VOLUME")
                .contains("the array is busy"));
        assertThat(run("A release does not end", "csi node status NODE")).contains("READY");
        faults.forEach(Fault::remove);
        assertThat(run("A release does not end", "csi volume detach NAMESPACE VOLUME NODE"))
                .containsPattern("Detached +yes");
        assertThat(free()).isTrue();
    }

    @Test
    void detachmentThatThePluginDeniesIsOverridden() {
        FakeAllocation user = mounted();
        List.of("n1", "n2")
                .forEach(node -> cluster.node(node)
                        .plugin()
                        .onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME)
                        .failWith(StatusCode.NOT_FOUND, "no such instance"));
        ended(user.id());
        await(() -> run("A release does not end", "csi volume status NAMESPACE VOLUME")
                .contains("no such instance"));
        run("A release does not end", "csi attachment override NAMESPACE VOLUME NODE --reason TEXT");
        await(this::free);
    }

    @Test
    void unmountThatHangsIsSeenAndEndsWithThePlugin() {
        FakeAllocation user = mounted();
        Fault hang =
                cluster.node("n1").plugin().onCall(Rpc.NODE_UNPUBLISH_VOLUME).hang();
        ended(user.id());
        hang.awaitUse(1, LIMIT);
        assertThat(run("A release does not end", "csi volume status NAMESPACE VOLUME"))
                .contains("UNPUBLISHING", "CALL_IN_FLIGHT");
        assertThat(run("An unmount does not end", "csi call list --node NODE")).contains("NODE_UNPUBLISH_VOLUME", "db");
        assertThat(run("An unmount does not end", "csi node status NODE")).contains("READY");
        // As the restart of the plugin does, this ends the call.
        hang.remove();
        await(this::free);
        assertThat(run("An unmount does not end", "csi call list --node NODE")).doesNotContain("db");
    }

    @Test
    void callsThatFailAreListed() {
        FakeCsiPlugin plugin = cluster.addNode("n1").plugin();
        Fault failing = plugin.onCall(Rpc.CREATE_VOLUME).failWith(StatusCode.UNAVAILABLE, "the array restarts");
        CompletableFuture<?> creation = creation();
        await(() -> run("Calls to a plugin fail", "csi volume status NAMESPACE VOLUME")
                .contains("the array restarts"));
        // Between two attempts.
        await(() -> Stream.of("CREATE_VOLUME", "db", "UNAVAILABLE")
                .allMatch(run("Calls to a plugin fail", "csi call failed")::contains));
        Fault fault = plugin.onCall(Rpc.CREATE_VOLUME).hang();
        failing.remove();
        fault.awaitUse(1, LIMIT);
        assertThat(run("Calls to a plugin fail", "csi call list --failing")).contains("CREATE_VOLUME", "db");
        assertThat(run("Calls to a plugin fail", "csi volume status NAMESPACE VOLUME"))
                .contains("the array restarts", "UNAVAILABLE");
        assertThat(run("A plugin is missing", "csi plugin status PLUGIN")).contains("n1");
        run("A plugin is missing", "csi plugin wait PLUGIN --plugin-limit 5m");
        fault.remove();
        cluster.await(creation);
        // Failures lower the number of calls at a time, so this call may have to wait for the end of the one that
        // hangs.
        run("Calls to a plugin fail", "csi plugin capacity PLUGIN");
        assertThat(run("Calls to a plugin fail", "csi volume external PLUGIN"))
                .contains(volume().remoteId().value());
        assertThat(run("Calls to a plugin fail", "csi call list --failing")).doesNotContain("CREATE_VOLUME");
        assertThat(run("Calls to a plugin fail", "csi call failed")).doesNotContain("CREATE_VOLUME");
    }

    @Test
    void creationWithoutRoomIsWithdrawnAndLeavesNothing() {
        FakeCsiPlugin plugin = cluster.addNode("n1").plugin();
        Fault full = plugin.onCall(Rpc.CREATE_VOLUME).failWith(StatusCode.RESOURCE_EXHAUSTED, "the pool is full");
        CompletableFuture<?> creation = creation();
        full.awaitUse(1, LIMIT);
        await(() -> run("A creation does not end", "csi volume status NAMESPACE VOLUME")
                .contains("RESOURCE_EXHAUSTED"));
        String withdraw = "csi volume withdraw-creation NAMESPACE VOLUME --reason TEXT";
        assertThat(run("A creation does not end", withdraw + " --dry-run", "--json"))
                .contains("\"certain\"");
        assertThat(cluster.state().volume(DB)).isPresent();
        run("A creation does not end", withdraw);
        assertThat(cluster.state().volume(DB)).isEmpty();
        full.remove();
        await(creation::isDone);
        cluster.await(creation());
        assertThat(run("A creation does not end", "csi withdrawn-creation list"))
                .contains("NO_ROOM");
        values.put(
                "NAME", cluster.state().withdrawnCreations().iterator().next().name());
        run("A creation does not end", "csi withdrawn-creation forget PLUGIN NAME --reason TEXT");
        assertThat(run("A creation does not end", "csi withdrawn-creation list"))
                .isEqualTo("none\n");
    }

    @Test
    void creationWithoutAnswerIsWithdrawnAndItsRecordForgotten() {
        FakeCsiPlugin plugin = cluster.addNode("n1").plugin();
        Fault hang = plugin.onCall(Rpc.CREATE_VOLUME).hang();
        CompletableFuture<?> creation = creation();
        hang.awaitUse(1, LIMIT);
        run("A creation does not end", "csi volume withdraw-creation NAMESPACE VOLUME --reason TEXT");
        assertThat(cluster.state().volume(DB)).isEmpty();
        hang.remove();
        await(creation::isDone);
        String name = cluster.state().withdrawnCreations().iterator().next().name();
        assertThat(run("A creation does not end", "csi withdrawn-creation list", "--json"))
                .contains(name);
        values.put("NAME", name);
        run("A creation does not end", "csi withdrawn-creation forget PLUGIN NAME --reason TEXT");
        assertThat(run("A creation does not end", "csi withdrawn-creation list"))
                .isEqualTo("none\n");
    }

    @Test
    void attachmentThatNoneWantsIsFoundAndDetached() throws Exception {
        FakeCsiPlugin driver = cluster.addNode("n1").plugin();
        cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        String id = volume().remoteId().value();
        try (CsiClient client = CsiClient.connect(driver.endpoint())) {
            client.controller()
                    .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                    volume().remoteId(),
                                    ExternalNodeId.of(driver.nodeId()),
                                    VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                            .volumeContext(volume().volumeContext())
                            .build())
                    .get(20, TimeUnit.SECONDS);
        }
        assertThat(run("Provider and state differ", "csi plugin reconcile PLUGIN --dry-run"))
                .contains("ATTACHED_BUT_NOT_WANTED");
        assertThat(cluster.storage().attachedNodes(id)).hasSize(1);
        run("Provider and state differ", "csi plugin reconcile PLUGIN");
        await(() -> cluster.storage().attachedNodes(id).isEmpty());
    }

    @Test
    void orphansAreAdoptedAndDeleted() {
        cluster.addNode("n1");
        cluster.storage().provision("lost-1", 1 << 20);
        cluster.storage().provision("lost-2", 1 << 20);
        assertThat(run("Provider and state differ", "csi orphan list PLUGIN")).contains("lost-1", "lost-2");
        values.put("ID", "lost-1");
        String names = " --namespace NAMESPACE --volume VOLUME --requested-capability accessMode=SINGLE_NODE_WRITER";
        run("Provider and state differ", "csi orphan adopt PLUGIN ID" + names);
        assertThat(volume().remoteId().value()).isEqualTo("lost-1");
        values.put("ID", "lost-2");
        values.put("VOLUME", "unused");
        run("Provider and state differ", "csi orphan delete PLUGIN ID" + names);
        assertThat(cluster.storage().volumeIds()).containsExactly("lost-1");
        assertThat(run("Provider and state differ", "csi orphan list PLUGIN")).doesNotContain("lost-");
    }

    @Test
    void deletionAndExpansionAreTakenBack() {
        FakeCsiPlugin plugin = cluster.addNode("n1").plugin();
        cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        Fault failing = plugin.onCall(Rpc.CONTROLLER_EXPAND_VOLUME).failWith(StatusCode.UNAVAILABLE, "not now");
        CompletableFuture<?> expansion = cluster.lifecycle().volumes().expand(DB, CapacityRange.atLeast(2L << 30));
        failing.awaitUse(1, LIMIT);
        String section = "A deletion or an expansion does not end";
        await(() -> run(section, "csi volume status NAMESPACE VOLUME").contains("not now"));
        run(section, "csi volume withdraw-expansion NAMESPACE VOLUME");
        assertThat(volume().expansion()).isEmpty();
        await(expansion::isDone);
        Fault deletion = plugin.onCall(Rpc.DELETE_VOLUME).failWith(StatusCode.UNAVAILABLE, "not now");
        CompletableFuture<?> deleted = cluster.lifecycle().volumes().delete(DB);
        deletion.awaitUse(1, LIMIT);
        run(section, "csi volume withdraw-deletion NAMESPACE VOLUME");
        await(deleted::isDone);
        FakeAllocation user = start("web-1", "n1");
        await(user::hasMountedAll);
    }

    @Test
    void volumeOfGonePluginIsForgottenAndItsLeftoverOverridden() {
        FakeAllocation user = mounted();
        values.put("ID", volume().remoteId().value());
        cluster.node("n1").disconnect();
        ended(user.id());
        String section = "A deletion or an expansion does not end";
        run(section, "csi volume forget NAMESPACE VOLUME --reason TEXT");
        assertThat(cluster.state().volume(DB)).isEmpty();
        assertThat(run(section, "csi leftover list", "--json")).contains("n1", values.get("ID"));
        run(section, "csi leftover override PLUGIN ID --reason TEXT");
        assertThat(run(section, "csi leftover list")).isEqualTo("none\n");
    }

    /** The state is restored, and the provider does not have the volume that an allocation needs. */
    private void lost(String allocation) {
        cluster.stepDown();
        cluster.await(cluster.lifecycle().cluster().stateRestored("the disks of the servers were lost"));
        cluster.lead();
        Fault missing = cluster.node("n1")
                .plugin()
                .onCall(Rpc.VALIDATE_VOLUME_CAPABILITIES)
                .failWith(StatusCode.NOT_FOUND, "no such volume");
        FakeAllocation user = start(allocation, "n1");
        await(() -> volume().isLost());
        missing.remove();
        ended(user.id());
        String section = "A volume is lost";
        assertThat(run(section, "csi server health")).contains("volume_lost", "default/db");
        assertThat(run(section, "csi volume status NAMESPACE VOLUME"))
                .contains("VOLUME_LOST", "LOST", "delete or forget the volume");
    }

    @Test
    void lostVolumeIsFoundAgainDeletedOrForgotten() {
        cluster.addNode("n1");
        cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        String section = "A volume is lost";
        lost("asks-1");
        run(section, "csi volume recheck NAMESPACE VOLUME");
        await(() -> !volume().isLost() && !volume().toBeVerified());
        FakeAllocation user = start("web-1", "n1");
        await(user::hasMountedAll);
        ended(user.id());
        await(this::free);
        lost("asks-2");
        run(section, "csi volume delete NAMESPACE VOLUME");
        assertThat(cluster.state().volume(DB)).isEmpty();
        cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        lost("asks-3");
        run(section, "csi volume forget NAMESPACE VOLUME --reason TEXT");
        assertThat(cluster.state().volume(DB)).isEmpty();
    }

    @Test
    void driverWithAnotherNameIsStatedToBeTheRightOne() {
        admin.close();
        cluster.close();
        cluster = start(FakeCluster.builder()
                .plugin(
                        PluginId.of("disk"),
                        (plugin, node) -> plugin.name(node.equals("n1") ? "old.example.com" : "new.example.com")));
        admin = serve();
        cluster.addNode("n1");
        cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.addNode("n2");
        FakeAllocation user = start("web-2", "n2");
        String section = "Another machine or driver under a known name";
        assertThat(run(section, "csi plugin status PLUGIN")).contains("old.example.com", "new.example.com");
        await(() -> run("A claim waits", "csi claim waiting").contains("PROVIDER_CONFLICT"));
        assertThat(user.hasMountedAll()).isFalse();
        values.put("NAME", "new.example.com");
        run(section, "csi plugin set-provider PLUGIN --provider NAME --reason TEXT");
        await(user::hasMountedAll);
    }

    /** Reports the plugin of node n1 with another external id, as another machine or a renamed one does. */
    private void reportAs(String externalId) {
        NodeId node = NodeId.of("n1");
        PluginInstance present = cluster.state().instancesOn(node).iterator().next();
        cluster.await(cluster.lifecycle()
                .cluster()
                .nodePlugins(
                        node,
                        List.of(present.toBuilder()
                                .nodeInfo(new NodeInfo(ExternalNodeId.of(externalId), 0, Optional.empty()))
                                .build())));
    }

    @Test
    void replacedMachineIsStatedToBeLost() {
        mounted();
        cluster.node("n1").crash();
        cluster.storage().addNode("n1-new", Map.of());
        cluster.await(cluster.lifecycle().cluster().nodeReady(NodeId.of("n1")));
        reportAs("n1-new");
        FakeAllocation next = start("web-2", "n2");
        String section = "Another machine or driver under a known name";
        await(() -> run("A release does not end", "csi volume status NAMESPACE VOLUME")
                .contains("NODE_REPLACED"));
        String override = "csi node override NODE --statement FORMER_MACHINE_LOST --reason TEXT";
        assertThat(run(section, override, "--dry-run")).contains("web-1");
        assertThat(volume().claims().size()).isEqualTo(1);
        run(section, override);
        await(next::hasMountedAll);
    }

    @Test
    void renamedMachineKeepsItsClaims() {
        mounted();
        cluster.storage().addNode("n1-new", Map.of());
        reportAs("n1-new");
        String section = "Another machine or driver under a known name";
        run(section, "csi node override NODE --statement MACHINE_RENAMED --reason TEXT");
        assertThat(volume().attachments())
                .anySatisfy(attachment -> assertThat(attachment.toString()).contains("n1-new"));
        assertThat(volume().claims().size()).isEqualTo(1);
    }

    /** Replaces the cluster by another one. */
    private void restart(FakeClusterBuilder builder) {
        admin.close();
        cluster.close();
        cluster = start(builder);
        admin = serve();
    }

    @Test
    void callsWithoutSecretsAreFoundAndMadeWhenTheSecretsAreStored() {
        Map<Rpc, Secrets> vault = new ConcurrentHashMap<>();
        restart(FakeCluster.builder()
                .lifecycle(engine -> engine.secrets(
                        query -> CompletableFuture.completedFuture(Optional.ofNullable(vault.get(query.rpc()))))));
        cluster.addNode("n1");
        CompletableFuture<?> creation = creation();
        String section = "Calls without secrets";
        await(() -> run(section, "csi call failed").contains("CREATE_VOLUME"));
        assertThat(run(section, "csi call failed")).contains("the secrets for CreateVolume are absent");
        assertThat(run(section, "csi volume status NAMESPACE VOLUME"))
                .containsPattern(
                        "Failures[\\s\\S]*the secrets for CreateVolume are absent, so nothing was sent; store them");
        assertThat(run(section, "csi server health"))
                .contains("secrets_absent", "CreateVolume of plugin fake for volume default/db", "Store the secrets");
        vault.put(Rpc.CREATE_VOLUME, Secrets.of(Map.of("key", "stored")));
        run(section, "csi volume recheck NAMESPACE VOLUME");
        cluster.await(creation);
        assertThat(run(section, "csi call failed")).isEqualTo("none\n");
        FakeAllocation user = start("web-1", "n1");
        await(() -> run(section, "csi call failed").contains("CONTROLLER_PUBLISH_VOLUME"));
        vault.put(Rpc.CONTROLLER_PUBLISH_VOLUME, Secrets.empty());
        run(section, "csi volume recheck NAMESPACE VOLUME");
        await(() -> run(section, "csi call failed").contains("the secrets for NodeStageVolume are absent"));
        for (Rpc rpc : Rpc.values()) {
            vault.put(rpc, Secrets.empty());
        }
        await(user::hasMountedAll);
        assertThat(run(section, "csi call failed")).isEqualTo("none\n");
        await(() -> !run(section, "csi server health").contains("secrets_absent"));
    }

    @Test
    void secretsThatThePluginRefusesAreFoundAndReplaced() {
        FakeCsiPlugin plugin = cluster.addNode("n1").plugin();
        Fault refusal = plugin.onCall(Rpc.CREATE_VOLUME).failWith(StatusCode.UNAUTHENTICATED, "the key has expired");
        CompletableFuture<?> creation = creation();
        String section = "Calls without secrets";
        await(() -> run(section, "csi server health").contains("secrets_refused"));
        assertThat(run(section, "csi server health")).contains("CreateVolume of plugin fake for volume default/db");
        assertThat(run(section, "csi volume status NAMESPACE VOLUME"))
                .containsPattern("Failures[\\s\\S]*UNAUTHENTICATED[\\s\\S]*the key has expired");
        // As other secrets do, this lets the plugin accept the call.
        refusal.remove();
        run(section, "csi volume recheck NAMESPACE VOLUME");
        cluster.await(creation);
        await(() -> !run(section, "csi server health").contains("secrets_refused"));
    }

    /** The log of a cluster as one server sees it, whose state cannot be read, or reports no changes. */
    private static final class ServerLog implements CommandLog, ObservableState {
        private final CommandLog log;
        private volatile boolean unreadable;
        private volatile boolean deaf;

        ServerLog(CommandLog log) {
            this.log = log;
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            return log.submit(command);
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            if (unreadable) {
                throw new IllegalStateException("the store is closed");
            }
            return log.state().snapshot();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return log.state().newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return log.state().subscribe(scope, index, at -> {
                if (!deaf) {
                    listener.accept(at);
                }
            });
        }
    }

    @Test
    void gaugesAreStaleUntilTheServerIsStartedAgain() {
        List<ServerLog> logs = new ArrayList<>();
        restart(FakeCluster.builder().commands(log -> {
            logs.add(new ServerLog(log));
            return logs.get(logs.size() - 1);
        }));
        cluster.addNode("n1");
        String section = "Meters are stale";
        MeterRegistry registry = new SimpleMeterRegistry();
        try (Environment environment = Environment.system();
                CsiMeters meters = CsiMeters.of(registry)) {
            meters.observe(cluster.lifecycle(), environment, Duration.ofMillis(20));
            await(() -> readyNodes(registry) == 1);
            assertThat(run(section, "csi server health")).doesNotContain("state_unreadable");
            logs.get(0).unreadable = true;
            await(() -> failedReads(registry) > 0);
            assertThat(readyNodes(registry)).isEqualTo(1);
            // The result of the last check is used for two seconds.
            cluster.advance(Duration.ofSeconds(3));
            assertThat(run(1, section, "csi server health"))
                    .contains("state_unreadable", "the store is closed", "Check that the store is open");
        }
        cluster.restartServer();
        admin.close();
        admin = serve();
        MeterRegistry next = new SimpleMeterRegistry();
        try (Environment environment = Environment.system();
                CsiMeters meters = CsiMeters.of(next)) {
            meters.observe(cluster.lifecycle(), environment, Duration.ofMillis(20));
            cluster.addNode("n2");
            await(() -> readyNodes(next) == 2);
            assertThat(failedReads(next)).isZero();
            assertThat(run(section, "csi server health")).doesNotContain("state_unreadable");
        }
    }

    private static double readyNodes(MeterRegistry registry) {
        return registry.get("csi4j.nodes").tag("status", "ready").gauge().value();
    }

    private static double failedReads(MeterRegistry registry) {
        return registry.get("csi4j.meters.failures").counter().count();
    }

    /** A cluster with a volume whose allocation has ended, of which its server was not notified. */
    private void releaseWithoutEvent(Duration scanInterval, List<VolumeKey> missed) {
        List<ServerLog> logs = new ArrayList<>();
        restart(FakeCluster.builder()
                .commands(log -> {
                    logs.add(new ServerLog(log));
                    return logs.get(logs.size() - 1);
                })
                .lifecycle(engine -> engine.options(LifecycleOptions.builder()
                                .scanInterval(scanInterval)
                                .build())
                        .listener(new EventListener() {
                            @Override
                            public void missedStepFound(MissedStepEvent event) {
                                missed.add(event.volume());
                            }
                        })));
        FakeAllocation user = mounted();
        logs.get(0).deaf = true;
        ended(user.id());
        logs.get(0).deaf = false;
    }

    @Test
    void stepThatOnlyTheScanFoundIsNamedAndMade() {
        List<VolumeKey> missed = new CopyOnWriteArrayList<>();
        releaseWithoutEvent(Duration.ofSeconds(2), missed);
        await(() -> !missed.isEmpty());
        assertThat(missed).containsExactly(DB);
        await(this::free);
        assertThat(run("A step was missed", "csi volume status NAMESPACE VOLUME"))
                .containsPattern("Remaining[\\s\\S]*Done +yes");
    }

    @Test
    void stepThatNothingBeginsIsMadeByRecheck() {
        List<VolumeKey> missed = new CopyOnWriteArrayList<>();
        releaseWithoutEvent(Duration.ofHours(1), missed);
        assertThat(run("A step was missed", "csi volume status NAMESPACE VOLUME"))
                .containsPattern("Done +no")
                .contains("UNPUBLISHING");
        run("A step was missed", "csi volume recheck NAMESPACE VOLUME");
        await(this::free);
        assertThat(missed).isEmpty();
    }

    /** Lets an allocation request the volume from a template, for life 1 of workload web. */
    private void requested(ReclaimPolicy reclaim) {
        values.put("WORKLOAD", "web");
        values.put("INCARNATION", "1");
        VolumeClassName fast = VolumeClassName.of("fast");
        RequestedCapability writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.await(cluster.lifecycle()
                .classes()
                .put(VolumeClass.builder(fast, cluster.plugin())
                        .requestedCapabilities(List.of(writer))
                        .defaultCapacity(CapacityRange.atLeast(1 << 20))
                        .reclaim(reclaim)
                        .build()));
        AllocationId web = AllocationId.of("web-1");
        cluster.await(cluster.lifecycle().cluster().allocationStarted(web, DB.namespace(), NodeId.of("n1")));
        cluster.await(cluster.lifecycle()
                .claims()
                .request(
                        web,
                        List.of(ClaimRequest.writing(DB, writer)
                                .madeFrom(VolumeTemplate.builder(fast)
                                        .ofWorkload(WorkloadOwner.of("web", 1))
                                        .build()))));
    }

    @Test
    void creationForAClaimIsFoundAndWithdrawnAfterItWasGivenUp() {
        cluster.addNode("n1").plugin().onCall(Rpc.CREATE_VOLUME).failWith(StatusCode.DEADLINE_EXCEEDED, "no answer");
        requested(ReclaimPolicy.DELETE);
        String refused = "A claim that makes its volume is refused";
        await(() -> run(refused, "csi volume status NAMESPACE VOLUME").contains("no answer"));
        assertThat(run(refused, "csi volume status NAMESPACE VOLUME")).contains("First claim", "web-1");
        assertThat(run(refused, "csi volume list --namespace NAMESPACE --prefix VOLUME"))
                .contains("db", "CREATING");
        assertThat(run(refused, "csi call failed")).contains("CREATE_VOLUME", "DEADLINE_EXCEEDED");
        run(refused, "csi plugin capacity PLUGIN");
        String given = "db~" + volume().createIndex();
        String section = "A workload is gone, and its volumes are there";
        run(section, "csi workload end NAMESPACE WORKLOAD INCARNATION");
        values.put("VOLUME", given);
        String tilde = "A volume has a tilde and a number";
        assertThat(run(tilde, "csi volume status NAMESPACE VOLUME")).contains("Former volume", "DELETING");
        run(tilde, "csi volume withdraw-creation NAMESPACE VOLUME --reason TEXT");
        assertThat(cluster.state().volume(VolumeKey.of("default", given))).isEmpty();
        assertThat(run(tilde, "csi withdrawn-creation list")).contains(given);
    }

    @Test
    void retainedVolumeIsFoundAdoptedAndDeleted() {
        cluster.addNode("n1");
        requested(ReclaimPolicy.RETAIN);
        await(() -> cluster.state()
                .volume(DB)
                .filter(made -> !made.claims().isEmpty())
                .isPresent());
        ended(AllocationId.of("web-1"));
        await(this::free);
        String section = "A workload is gone, and its volumes are there";
        assertThat(run(section, "csi volume list --workload WORKLOAD")).contains("db");
        assertThat(run(section, "csi workload end NAMESPACE WORKLOAD INCARNATION --dry-run"))
                .containsPattern("Retained +1")
                .contains("db", "RETAIN");
        assertThat(run(section, "csi volume list --retained")).isEqualTo("none\n");
        run(section, "csi workload end NAMESPACE WORKLOAD INCARNATION");
        assertThat(run(section, "csi volume list --retained")).contains("db");
        run(section, "csi volume adopt NAMESPACE VOLUME --workload WORKLOAD --incarnation 2");
        assertThat(run(section, "csi volume list --retained")).isEqualTo("none\n");
        assertThat(run(section, "csi volume list --workload WORKLOAD")).contains("db");
        cluster.await(cluster.lifecycle().cluster().ownerEnded(DB.namespace(), WorkloadOwner.of("web", 2)));
        assertThat(run(section, "csi volume list --retained")).contains("db");
        run(section, "csi volume delete NAMESPACE VOLUME --even-retained");
        assertThat(cluster.state().volume(DB)).isEmpty();
    }

    @Test
    void volumeOfAWorkloadIsKeptAndMadePersistent() {
        cluster.addNode("n1");
        requested(ReclaimPolicy.DELETE);
        await(() -> cluster.state()
                .volume(DB)
                .filter(made -> !made.claims().isEmpty())
                .isPresent());
        String section = "A workload is gone, and its volumes are there";
        values.put("RETAIN", "retain"); // A person may write the word in lower case.
        run(section, "csi volume set-reclaim NAMESPACE VOLUME RETAIN");
        assertThat(volume().classOrigin().orElseThrow().reclaim()).isEqualTo(ReclaimPolicy.RETAIN);
        run(section, "csi volume adopt NAMESPACE VOLUME");
        assertThat(volume().owner()).isEmpty();
    }
}
