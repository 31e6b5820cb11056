package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.VolumeSpec;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Secrets, contexts and mount flags cross between servers, agents and plugins, and are seen nowhere else. */
class AgentCanaryTest {
    private static final String SECRET = "s3cr3t-canary-Zq81/+w==";
    private static final String VOLUME_CONTEXT = "volume-context-canary-Kk27";
    private static final String PUBLISH_CONTEXT = "publish-context-canary-Pp93";
    private static final String FLAG = "password=flag-canary-Ff55";
    private static final List<String> ALL = List.of(SECRET, VOLUME_CONTEXT, PUBLISH_CONTEXT, "flag-canary-Ff55");

    private static final String WORDS = "words-of-the-plugin";

    private final List<String> observed = new CopyOnWriteArrayList<>();
    private final Logger root = Logger.getLogger("");
    private final Level before = root.getLevel();
    private final Handler capture = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            // The plugin is in this program too, and writes down what it receives.
            if (!Thread.currentThread().getName().startsWith("scripted-plugin")) {
                StringWriter text = new StringWriter();
                text.append(new SimpleFormatter().format(logged)).append(String.valueOf(logged.getMessage()));
                if (logged.getParameters() != null) {
                    for (Object parameter : logged.getParameters()) {
                        text.append(' ').append(String.valueOf(parameter));
                    }
                }
                observed.add(text.toString());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private Ground ground;
    private NodeAgent agent;
    private ScriptedPlugin plugin;

    @BeforeEach
    void start() throws Exception {
        capture.setLevel(Level.ALL);
        root.addHandler(capture);
        root.setLevel(Level.FINEST);
        ground = new Ground();
        Endpoint servers = ground.unix("server");
        Endpoint forwarding = ground.unix("forwarding");
        Endpoint listen = ground.unix("agent-socket");
        ground.start(ground.server().listenToAgent(servers, NODE).listenToServers(forwarding));
        agent = ground.start(ground.agent(listen, servers).volumeListener(event -> observed.add(event.toString())));
        plugin = ground.plugin(agent);
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.knows(true);
        plugin.on(
                "ControllerPublishVolume",
                (request, out) -> ScriptedPlugin.ok(
                        out,
                        io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse.newBuilder()
                                .putPublishContext("lun", PUBLISH_CONTEXT)
                                .build()));
    }

    @AfterEach
    void stop() throws Exception {
        root.removeHandler(capture);
        root.setLevel(before);
        ground.close();
    }

    /** What a plugin was told, it says again. */
    private void echoes(String rpc, Status status) {
        plugin.on(rpc, (request, out) -> {
            String reported = request.toByteString().toString(StandardCharsets.ISO_8859_1);
            List<String> all = new ArrayList<>();
            for (String canary : ALL) {
                if (reported.contains(canary)) {
                    all.addAll(forms(canary));
                }
            }
            ScriptedPlugin.fail(out, status.withDescription("no: " + String.join(" ", all)));
        });
    }

    private static List<String> forms(String canary) {
        byte[] bytes = canary.getBytes(StandardCharsets.UTF_8);
        String hex = HexFormat.of().formatHex(bytes);
        return List.of(
                canary,
                hex,
                hex.toUpperCase(Locale.ROOT),
                Base64.getEncoder().withoutPadding().encodeToString(bytes),
                Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    private void see(CompletableFuture<?> call) throws Exception {
        observed.add(call.toString());
        try {
            observed.add(String.valueOf(call.get(40, TimeUnit.SECONDS)));
        } catch (ExecutionException failed) {
            StringWriter trace = new StringWriter();
            failed.printStackTrace(new PrintWriter(trace, true));
            observed.add(trace.toString());
            assertThat(trace.toString()).contains("[hidden]");
        }
    }

    private void nothingIsShown() {
        observed.add(agent.toString());
        observed.add(agent.volumes().volumes().toString());
        observed.add(agent.plugins().toString());
        assertThat(observed).hasSizeGreaterThan(10);
        for (String canary : ALL) {
            for (String form : forms(canary)) {
                String lower = form.toLowerCase(Locale.ROOT);
                assertThat(observed.stream()
                                .filter(text -> text.toLowerCase(Locale.ROOT).contains(lower)))
                        .as(form)
                        .isEmpty();
            }
        }
    }

    private VolumeKey volume() {
        VolumeKey key = VolumeKey.of("default", "db");
        get(ground.lifecycle
                .volumes()
                .register(
                        key,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .externalVolumeId(ExternalVolumeId.of("ext-db"))
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .mountOptions(MountOptions.of("ext4", FLAG))
                                .volumeContext(VolumeContext.of(Map.of("share", VOLUME_CONTEXT)))
                                .secrets(Secrets.of(Map.of("token", SECRET)))
                                .build()));
        return key;
    }

    @Test
    void capturedLogsIncludeEverySystemLogger() {
        System.getLogger("test").log(System.Logger.Level.TRACE, "a {0}", SECRET);
        assertThat(observed).anySatisfy(text -> assertThat(text).contains(SECRET));
    }

    @Test
    void controllerCallsLeakNoSecret() throws Exception {
        echoes("ControllerPublishVolume", Status.INVALID_ARGUMENT);
        ControllerPublishVolumeRequest publish = ControllerPublishVolumeRequest.builder(
                        ExternalVolumeId.of("ext-db"),
                        ExternalNodeId.of("ext-1"),
                        VolumeCapability.mount(
                                Ground.WRITER.accessMode(),
                                MountOptions.of("ext4", FLAG).toMountVolume()))
                .volumeContext(VolumeContext.of(Map.of("share", VOLUME_CONTEXT)))
                .secrets(Secrets.of(Map.of("token", SECRET)))
                .build();
        see(ground.gateway.controller(MONOLITH).controllerPublishVolume(publish));
        try (RemoteNodeGateway far = RemoteNodeGateway.builder(
                        node -> Optional.of(NodeRoute.via(ground.unix("forwarding"))))
                .environment(ground.environment)
                .build()) {
            see(far.controller(MONOLITH).controllerPublishVolume(publish));
        }
        nothingIsShown();
    }

    @Test
    void grantsAndMountsLeakNoSecret() throws Exception {
        VolumeKey key = volume();
        ground.running("web-1");
        echoes("NodePublishVolume", Status.INVALID_ARGUMENT);
        see(agent.prepare(AllocationId.of("web-1"), List.of(writing(key))));
        var reported = plugin.next("NodePublishVolume").request().toByteString();
        assertThat(reported.toString(StandardCharsets.ISO_8859_1)).contains(ALL);
        observed.add(String.valueOf(get(ground.lifecycle.claims().status(key))));
        nothingIsShown();
    }

    @Test
    void expansionsLeakNoSecret() throws Exception {
        VolumeKey key = volume();
        ground.running("web-1");
        get(agent.prepare(AllocationId.of("web-1"), List.of(writing(key))));
        echoes("NodeExpandVolume", Status.INTERNAL);
        see(ground.gateway.expand(
                NODE,
                new NodeExpand(
                        key,
                        Ground.PLUGIN,
                        ExternalVolumeId.of("ext-db"),
                        AllocationId.of("web-1"),
                        Ground.WRITER,
                        MountOptions.of("ext4", FLAG),
                        CapacityRange.atLeast(1 << 20),
                        Secrets.of(Map.of("token", SECRET)))));
        assertThat(plugin.next("NodeExpandVolume").request().toByteString().toString(StandardCharsets.ISO_8859_1))
                .contains(SECRET);
        nothingIsShown();
    }

    @Test
    void textOfFailedCallIsNotInEncodedState() throws Exception {
        VolumeKey mounted = ground.volume("db");
        ground.running("web-1");
        get(agent.prepare(AllocationId.of("web-1"), List.of(writing(mounted))));
        says("NodeUnpublishVolume", Status.INTERNAL);
        ground.place("web-1", NODE, AllocationStatus.ENDED);
        ground.until(
                "the release was tried",
                StateScope.volume(mounted),
                state -> state.volume(mounted)
                        .flatMap(volume -> volume.claims().get(AllocationId.of("web-1")))
                        .flatMap(claim -> claim.retry().lastError())
                        .isPresent());
        says("ControllerPublishVolume", Status.RESOURCE_EXHAUSTED);
        VolumeKey waiting = ground.volume("other");
        ground.running("web-2");
        var unused = agent.prepare(AllocationId.of("web-2"), List.of(writing(waiting)));
        ground.until(
                "the attachment was tried",
                StateScope.volume(waiting),
                state -> state.volume(waiting)
                        .flatMap(volume -> volume.attachments().on(NODE))
                        .flatMap(attachment -> attachment.retry().lastError())
                        .isPresent());

        String state = encoded();

        assertThat(state).doesNotContain(WORDS);
        assertThat(state).contains("NodeUnpublishVolume for ext-db");
        assertThat(state).contains("ControllerPublishVolume for ext-other", "(RESOURCE_EXHAUSTED)");
    }

    @Test
    void textOfFailedProbeIsNotInEncodedState() throws Exception {
        says("Probe", Status.FAILED_PRECONDITION);
        agent.plugins().snapshot().instance(MONOLITH).orElseThrow().connection().suspect();
        ground.knows(false);

        assertThat(encoded()).doesNotContain(WORDS).contains("Probe at plugin", "(FAILED_PRECONDITION)");
    }

    @Test
    void agentFilesContainNoSecretAndNoPluginText() throws Exception {
        VolumeKey key = volume();
        ground.running("web-1");
        get(agent.prepare(AllocationId.of("web-1"), List.of(writing(key))));
        says("NodeUnpublishVolume", Status.INTERNAL);
        assertThat(get(agent.teardown(AllocationId.of("web-1"), Duration.ofSeconds(1)))
                        .left())
                .containsExactly(key);
        assertThat(agent.volumes().status(key).orElseThrow().lastError()).contains(WORDS);

        Map<Path, String> files = files(ground.path("agent"));

        assertThat(files.values()).anySatisfy(text -> assertThat(text).contains("ext-db", "web-1"));
        files.forEach((path, text) -> {
            assertThat(text).as("%s", path).doesNotContain(WORDS);
            assertThat(text).as("%s", path).doesNotContain(forms(SECRET));
        });
    }

    /** The text of each file. The ledger has two bytes for a character, so zeros are left out. */
    private static Map<Path, String> files(Path directory) throws IOException {
        Map<Path, String> files = new HashMap<>();
        try (Stream<Path> found = Files.walk(directory)) {
            for (Path path : found.filter(Files::isRegularFile).toList()) {
                files.put(
                        path,
                        Files.readString(path, StandardCharsets.ISO_8859_1).replace("\0", ""));
            }
        }
        return files;
    }

    private void says(String rpc, Status status) {
        plugin.on(rpc, (request, out) -> ScriptedPlugin.fail(out, status.withDescription(WORDS)));
    }

    private String encoded() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ground.store.encode(out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }
}
