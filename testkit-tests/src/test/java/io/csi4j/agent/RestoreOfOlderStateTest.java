package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.testkit.ClassArchive;
import io.csi4j.testkit.FakePluginProcess;
import io.csi4j.testkit.Machine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The state of a server is put back from a backup, while an agent and a plugin with real mounts run as processes of
 * their own. Allocation "old" had the volumes in the backup; "new" has them now. Needs root on Linux; skipped elsewhere.
 */
class RestoreOfOlderStateTest {
    private static final AllocationId OLD = AllocationId.of("old");
    private static final AllocationId NEW = AllocationId.of("new");

    private Ground ground;
    private VolumeLifecycle lifecycle;
    private Endpoint servers;
    private Endpoint listen;
    private AgentProcess agent;
    private FakePluginProcess plugin;
    private final List<Rpc> calls = new CopyOnWriteArrayList<>();
    private byte[] backup = new byte[0];

    @BeforeEach
    void start() throws Exception {
        Machine.assumeRoot();
        ground = new Ground();
        ground.lifecycle.stopLeading();
        servers = ground.unix("server");
        listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        lead();
        agent = AgentProcess.start(ground.path("agent"), listen, servers);
        String socket = agent.ask("prepare-plugin");
        plugin = FakePluginProcess.builder("unix://" + socket)
                .jvmArguments(ClassArchive.option())
                .nodeId("ext-1")
                .stateDir(ground.path("storage"))
                .start();
        agent.ask("plugin-started");
        ground.knows(true);
    }

    private void engine() throws Exception {
        lifecycle = VolumeLifecycle.builder()
                .controllers(ControllerTrust.everyNode())
                .log(ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .listener(new EventListener() {
                    @Override
                    public void callFinished(CallEvent event) {
                        calls.add(event.rpc());
                    }
                })
                .build();
        ground.start(ground.server(lifecycle).listenToAgent(servers, NODE));
    }

    private void lead() throws Exception {
        engine();
        lifecycle.startLeading();
    }

    @AfterEach
    void stop() throws Exception {
        if (ground == null) {
            return;
        }
        lifecycle.stopLeading();
        if (agent != null) {
            agent.close();
        }
        if (plugin != null) {
            plugin.close();
        }
        Machine.cleanUp(ground.directory);
        ground.close();
    }

    private VolumeKey created(String id) {
        VolumeKey key = VolumeKey.of("default", id);
        get(lifecycle
                .volumes()
                .create(
                        key,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .capacityRange(CapacityRange.atLeast(1 << 20))
                                .build()));
        return key;
    }

    private Path mounted(String allocation, String volume) throws Exception {
        String path = agent.ask("prepare " + allocation + " " + volume);
        assertThat(path).startsWith(ground.path("agent").toString());
        return Path.of(path);
    }

    private void backUp() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ground.store.encode(bytes);
        backup = bytes.toByteArray();
    }

    /** Restores as the guide says: nobody leads, the state is put back, and every node has to report. */
    private void restore() throws Exception {
        lifecycle.stopLeading();
        ground.store.restore(new ByteArrayInputStream(backup));
        get(lifecycle.cluster().stateRestored("put back from the backup of noon"));
        calls.clear();
    }

    private void ends(AllocationId allocation, VolumeKey... keys) {
        get(lifecycle.cluster().allocationEnded(allocation));
        for (VolumeKey key : keys) {
            ground.until(
                    allocation + " has no claim on " + key,
                    StateScope.volume(key),
                    state -> state.volume(key)
                            .orElseThrow()
                            .claims()
                            .get(allocation)
                            .isEmpty());
        }
    }

    private void adopted(AllocationId allocation, VolumeKey key) {
        ground.until(
                allocation + " has a claim on " + key,
                StateScope.volume(key),
                state -> state.volume(key)
                        .orElseThrow()
                        .claims()
                        .get(allocation)
                        .map(Claim::state)
                        .filter(ClaimState.TAKEN::equals)
                        .isPresent());
    }

    private void attached(VolumeKey key) {
        // After a restore the volume is published once more.
        ground.until(
                "the volume is published",
                StateScope.volume(key),
                state -> state.volume(key)
                        .flatMap(volume -> volume.attachments().on(NODE))
                        .filter(attachment -> attachment.state() == AttachmentState.PUBLISHED)
                        .isPresent());
        assertThat(calls).doesNotContain(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
    }

    private void freed(VolumeKey key) {
        ground.until(
                key + " is free",
                StateScope.volume(key),
                state -> !state.volume(key).orElseThrow().inUse());
    }

    @Test
    void endOfTheFormerUserDetachesNothingUnderThePresentOne() throws Exception {
        VolumeKey db = created("db");
        VolumeKey logs = created("logs");
        ground.running("old");
        mounted("old", "db");
        mounted("old", "logs");
        backUp();
        assertThat(agent.ask("teardown old")).isEqualTo("[]");
        ends(OLD, db, logs);
        ground.running("new");
        Path file = mounted("new", "db").resolve("file");
        Path other = mounted("new", "logs").resolve("file");
        Files.writeString(file, "kept");

        restore();
        lifecycle.startLeading();
        get(lifecycle.cluster().allocationStarted(NEW, Namespace.of("default"), NODE));
        assertThat(get(lifecycle.operator().reconcile(Ground.PLUGIN, true))).isEmpty();
        adopted(NEW, db);
        adopted(NEW, logs);
        ends(OLD, db, logs);

        attached(db);
        attached(logs);
        Files.writeString(other, "still writable");
        assertThat(file).hasContent("kept");
        assertThat(agent.ask("teardown new")).isEqualTo("[]");
        get(lifecycle.cluster().allocationEnded(NEW));
        freed(db);
        freed(logs);
        assertThat(calls).contains(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        assertThat(Machine.mountsBelow(ground.path("agent"))).isZero();
    }

    @Test
    void nodeThatCannotBeReachedDuringTheRestoreKeepsItsVolume() throws Exception {
        VolumeKey db = created("db");
        ground.running("old");
        mounted("old", "db");
        backUp();
        assertThat(agent.ask("teardown old")).isEqualTo("[]");
        ends(OLD, db);
        ground.running("new");
        Path file = mounted("new", "db").resolve("file");
        Files.writeString(file, "kept");
        agent.kill();

        restore();
        get(lifecycle.cluster().nodeDown(NODE, "its agent does not answer"));
        lifecycle.startLeading();
        get(lifecycle.cluster().allocationEnded(OLD));
        ground.apply(new NodeCommand.SetNodeStatus(NODE, NodeStatus.DISCONNECTED, "still not", Instant.now()));
        agent = AgentProcess.start(ground.path("agent"), listen, servers);
        get(lifecycle.cluster().nodeReady(NODE));
        adopted(NEW, db);
        ground.until(
                "old has no claim",
                StateScope.volume(db),
                state -> state.volume(db).orElseThrow().claims().get(OLD).isEmpty());

        attached(db);
        assertThat(file).hasContent("kept");
        // The host reports the allocation late, and it claims its volume again.
        get(lifecycle.cluster().allocationStarted(NEW, Namespace.of("default"), NODE));
        assertThat(mounted("new", "db").resolve("file")).isEqualTo(file);
        assertThat(agent.ask("teardown new")).isEqualTo("[]");
        get(lifecycle.cluster().allocationEnded(NEW));
        freed(db);
    }

    @Test
    void detachWithoutAnyReportOfTheRestoreStopsAtTheAnswerOfTheNode() throws Exception {
        VolumeKey db = created("db");
        ground.running("old");
        mounted("old", "db");
        backUp();
        assertThat(agent.ask("teardown old")).isEqualTo("[]");
        ends(OLD, db);
        ground.running("new");
        Path file = mounted("new", "db").resolve("file");
        Files.writeString(file, "kept");

        // No command says that the state is old.
        lifecycle.stopLeading();
        ground.store.restore(new ByteArrayInputStream(backup));
        calls.clear();
        lifecycle.startLeading();
        ends(OLD, db);

        adopted(NEW, db);
        attached(db);
        assertThat(file).hasContent("kept");
    }
}
