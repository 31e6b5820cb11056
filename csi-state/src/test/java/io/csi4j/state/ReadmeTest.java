package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples of the README, which are the code of this test. */
class ReadmeTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private final List<String> displayed = new ArrayList<>();

    private void show(String text) {
        displayed.add(text);
    }

    @Test
    void readmeExamplesEqualCompiledCode() throws IOException {
        String code = squeezed(Path.of("src/test/java/io/csi4j/state/ReadmeTest.java"));
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("README.md")));
        int count = 0;
        while (examples.find()) {
            count++;
            assertThat(code)
                    .as("example %d:%n%s", count, examples.group(1))
                    .contains(examples.group(1).replaceAll("\\s", ""));
        }
        assertThat(count).isEqualTo(7);
    }

    private static String squeezed(Path file) throws IOException {
        return Files.readString(file).replaceAll("\\s", "");
    }

    @Test
    void firstExampleRuns() {
        Instant now = Instant.parse("2026-11-01T12:00:00Z");

        NodeId node = NodeId.of("node-1");
        PluginId plugin = PluginId.of("csi.example.com");
        VolumeKey data = VolumeKey.of("default", "data");
        RequestedCapability writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(node, plugin, PluginType.NODE, Optional.empty()), now)
                .capabilities(Capabilities.unknown().withServices().withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-0abc"), 0, Optional.empty()))
                .build();

        try (StateStore store = StateStore.inMemory()) {
            // The host reports its cluster as commands.
            store.apply(new NodeCommand.UpsertNode(node, now));
            store.apply(new PluginCommand.FingerprintNode(node, List.of(instance), now));
            store.apply(new VolumeCommand.RegisterVolume(
                    data,
                    VolumeSpec.builder(plugin)
                            .requestedCapabilities(List.of(writer))
                            .build(),
                    VolumeOrigin.REGISTERED,
                    ProviderFacts.none(),
                    now));
            for (String id : List.of("web-1", "web-2")) {
                AllocationId allocation = AllocationId.of(id);
                store.apply(new AllocationCommand.UpsertAllocation(
                        allocation, Namespace.of("default"), node, Optional.empty(), AllocationStatus.RUNNING, now));
                Outcome outcome = store.apply(new ClaimCommand.TakeClaims(
                        allocation, List.of(ClaimRequest.of(data, ClaimMode.WRITE, writer)), now));
                // The first is accepted; the second is rejected with the holder of the volume.
                show(outcome.fold(
                        accepted -> id + " has it",
                        rejected -> rejected.reason().message()));
            }
        }
        assertThat(displayed).hasSize(2);
        assertThat(displayed.get(0)).isEqualTo("web-1 has it");
        assertThat(displayed.get(1)).contains("web-2", "default/data", "allocation web-1 on node node-1");
    }

    @Test
    void snapshotExampleRuns() {
        try (StateStore store = StateStore.inMemory()) {
            new Cluster(store)
                    .node("node-1", "csi.example.com")
                    .volume("data", "csi.example.com")
                    .volume("logs", "csi.example.com");
            StateReader now = store.snapshot();
            VolumeQuery query = VolumeQuery.builder()
                    .pluginId(PluginId.of("csi.example.com"))
                    .idPrefix("da")
                    .limit(100)
                    .build();
            ListPage<Volume, VolumeKey> page = now.volumes(query);
            page.items().forEach(volume -> show(volume.key().toString()));
            // The token stays valid when its volume is deleted.
            Optional<VolumeKey> token = page.next();
            int healthy = now.plugin(PluginId.of("csi.example.com")).healthyNodes();
            assertThat(token).isEmpty();
            assertThat(healthy).isOne();
        }
        assertThat(displayed).containsExactly("default/data");
    }

    @Test
    void transactionExampleRuns() {
        try (StateStore store = StateStore.inMemory()) {
            new Cluster(store).volume("data", "csi.example.com");
            try (WriteTransaction transaction = store.begin(Duration.ofSeconds(10))) {
                Volume volume =
                        transaction.volume(VolumeKey.of("default", "data")).orElseThrow();
                transaction.removeVolume(volume.key());
                // Only queries of this transaction see its writes before the commit.
                show("gone: " + transaction.volume(volume.key()).isEmpty());
                transaction.commit(transaction.index() + 1);
            }
            assertThat(displayed).containsExactly("gone: true");
            assertThat(store.snapshot().volumes(VolumeQuery.all()).items()).isEmpty();
        }
    }

    private final CountDownLatch queries = new CountDownLatch(2);

    private void query(Optional<Volume> volume) {
        show(volume.isPresent() ? "there" : "not there");
        queries.countDown();
    }

    // As in the README, which ignores the result of the reaction.
    @SuppressWarnings("FutureReturnValueIgnored")
    void follow(ObservableState state, VolumeKey key) {
        StateReader now = state.snapshot();
        query(now.volume(key));
        state.newerThan(StateScope.volume(key), now.index()).thenRun(() -> follow(state, key));
    }

    @Test
    void watchExampleRuns() throws InterruptedException {
        try (StateStore store = StateStore.inMemory()) {
            follow(store, Cluster.key("v"));
            store.apply(Cluster.register("v", "p"));
            assertThat(queries.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(displayed).containsExactly("not there", "there");
    }

    @Test
    void encodingExampleRuns(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("state");
        SecretKey newKey = StateEncodingTest.key(2);
        SecretKey oldKey = StateEncodingTest.key(1);

        StateStoreOptions options = StateStoreOptions.builder()
                .secretsCipher(AesGcmSecretsCipher.builder()
                        .currentKey("2026-11", newKey)
                        .oldKey("2026-05", oldKey)
                        .build())
                .build();

        try (StateStore store = StateStore.create(options);
                StateStore other = StateStore.create(options)) {
            new Cluster(store)
                    .accepted(new VolumeCommand.RegisterVolume(
                            Cluster.key("v"),
                            Cluster.spec("p")
                                    .secrets(Secrets.of(Map.of("token", "hush")))
                                    .build(),
                            VolumeOrigin.REGISTERED,
                            ProviderFacts.none(),
                            Cluster.AT));
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
                store.encode(out);
            }
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                other.restore(in);
            }
            SameAnswers.check(other.snapshot(), store.snapshot());
        }
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                .contains("2026-11")
                .doesNotContain("hush");
    }

    @Test
    void commandEncodingExampleRuns() {
        StateStoreOptions options = StateStoreOptions.builder()
                .secretsCipher(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))
                .build();
        Command command = new VolumeCommand.RegisterVolume(
                Cluster.key("v"),
                Cluster.spec("p").secrets(Secrets.of(Map.of("token", "hush"))).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                Cluster.AT);
        long index = 1;
        try (StateStore replica = StateStore.create(options)) {
            CommandCodec codec = CommandCodec.of(options);
            // On the server that takes the command: one record of the log.
            byte[] entry = codec.encodeCommand(command);
            // On each replica, once the record is durable, in the order of the log.
            Outcome outcome = replica.applyAt(index, codec.decodeCommand(entry));
            // Back to the caller, if it is another process.
            Outcome answer = codec.decodeOutcome(codec.encodeOutcome(outcome));
            assertThat(answer).isEqualTo(outcome);
            assertThat(answer.accepted()).isTrue();
            assertThat(replica.snapshot()
                            .volume(Cluster.key("v"))
                            .orElseThrow()
                            .spec()
                            .secrets()
                            .asMap())
                    .containsEntry("token", "hush");
            assertThat(new String(entry, StandardCharsets.ISO_8859_1)).doesNotContain("hush");
        }
    }
}
