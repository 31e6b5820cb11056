package io.csi4j.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A leading engine over a store, in real time, with a console. Its plugins answer at once unless a test says otherwise. */
final class ConsoleRig implements AutoCloseable {
    static final PluginId DISK = PluginId.of("disk");
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    final Environment environment = Environment.system();
    final StateStore store = StateStore.inMemory();
    final ConsoleHistory history = ConsoleHistory.create();
    final HttpClient http = HttpClient.newHttpClient();
    final VolumeLifecycle lifecycle;
    final Console console;

    /** Completes when a controller answers to a plugin's publish (false) or unpublish (true). */
    volatile BiFunction<PluginId, Boolean, CompletableFuture<?>> answers =
            (plugin, unpublish) -> CompletableFuture.completedFuture(null);

    /** The host's word about controllers. */
    volatile ControllerTrust trust = ControllerTrust.everyNode();

    /** The report of every node. */
    volatile NodeReport report = new NodeReport(List.of());

    ConsoleRig() throws Exception {
        this(builder -> builder);
    }

    ConsoleRig(UnaryOperator<Console.Builder> options) throws Exception {
        this((builder, store) -> options.apply(builder));
    }

    ConsoleRig(BiFunction<Console.Builder, StateStore, Console.Builder> options) throws Exception {
        lifecycle = VolumeLifecycle.builder()
                .log(new LocalCommandLog(store))
                .gateway(new InstantGateway() {
                    @Override
                    public CompletableFuture<NodeReport> report(NodeId nodeId) {
                        return CompletableFuture.completedFuture(report);
                    }

                    @Override
                    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
                        return answers.apply(plugin, response == null).thenApply(answered -> response);
                    }
                })
                .environment(environment)
                .controllers((state, controller) -> trust.trusts(state, controller))
                .listener(history)
                .build();
        lifecycle.startLeading();
        console = options.apply(
                        Console.builder(lifecycle).environment(environment).history(history), store)
                .start();
    }

    static CsiCallException failure(PluginId plugin, StatusCode code) {
        return new CsiCallException(
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                plugin.value(),
                null,
                code,
                CallOutcome.OUTCOME_UNKNOWN,
                "it failed",
                "it failed",
                null);
    }

    <R> R done(CompletableFuture<R> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    ConsoleRig node(String name, PluginId... plugins) throws Exception {
        return node(name, true, plugins);
    }

    ConsoleRig node(String name, boolean healthy, PluginId... plugins) throws Exception {
        NodeId nodeId = NodeId.of(name);
        done(lifecycle.cluster().nodeReady(nodeId));
        List<PluginInstance> instances = new ArrayList<>();
        for (PluginId plugin : plugins) {
            instances.add(PluginInstance.builder(
                            new InstanceKey(nodeId, plugin, PluginType.MONOLITH, Optional.empty()),
                            environment.clock().instant())
                    .health(healthy, healthy ? "" : "no answer to Probe since 2 min")
                    .provider(plugin.value() + ".csi.example.com")
                    .vendorVersion("2.4.1")
                    .capabilities(Capabilities.unknown()
                            .withServices(PluginService.CONTROLLER_SERVICE)
                            .withController(
                                    ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                    ControllerCapability.CREATE_DELETE_VOLUME)
                            .withNode())
                    .nodeInfo(new NodeInfo(ExternalNodeId.of("i-" + name), 0, Optional.empty()))
                    .build());
        }
        done(lifecycle.cluster().nodePlugins(nodeId, instances));
        return this;
    }

    /** A node with an instance that has not answered yet. */
    ConsoleRig silent(String name, PluginId plugin) throws Exception {
        NodeId nodeId = NodeId.of(name);
        done(lifecycle.cluster().nodeReady(nodeId));
        done(lifecycle
                .cluster()
                .nodePlugins(
                        nodeId,
                        List.of(PluginInstance.builder(
                                        new InstanceKey(nodeId, plugin, PluginType.NODE, Optional.empty()),
                                        environment.clock().instant())
                                .health(false, "its socket is missing")
                                .proved(false)
                                .build())));
        return this;
    }

    ConsoleRig expect(PluginId plugin, int controllers, int nodes) throws Exception {
        done(lifecycle
                .log()
                .submit(new PluginCommand.UpsertDeployment(
                        PluginDeployment.of(
                                DeploymentId.of("infra", "csi-" + plugin.value()),
                                Map.of(plugin, new ExpectedInstances(controllers, nodes))),
                        environment.clock().instant())));
        return this;
    }

    ConsoleRig volume(VolumeKey key) throws Exception {
        return volume(key, DISK, 10);
    }

    ConsoleRig volume(VolumeKey key, PluginId plugin, int gibibytes) throws Exception {
        done(lifecycle.log().submit(register(key, plugin, gibibytes)));
        return this;
    }

    private Command register(VolumeKey key, PluginId plugin, int gibibytes) {
        VolumeSpec spec = VolumeSpec.builder(plugin)
                .requestedCapabilities(List.of(WRITER))
                .secrets(Secrets.of(Map.of("password", "hunter2")))
                .parameters(Map.of("tier", "secret-tier"))
                .mountOptions(MountOptions.of("ext4", "secret-flag"))
                .build();
        ProviderFacts facts = ProviderFacts.builder()
                .externalVolumeId(ExternalVolumeId.of("vol-" + Integer.toHexString(key.hashCode())))
                .capacityBytes((long) gibibytes << 30)
                .build();
        return new VolumeCommand.RegisterVolume(
                key, spec, VolumeOrigin.REGISTERED, facts, environment.clock().instant());
    }

    void volumes(String namespace, String prefix, int count) {
        volumes(namespace, prefix, DISK, count);
    }

    void volumes(String namespace, String prefix, PluginId plugin, int count) {
        for (int from = 0; from < count; from += 1000) {
            List<Command> commands = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + 1000); i++) {
                commands.add(register(VolumeKey.of(namespace, String.format("%s%06d", prefix, i)), plugin, 1));
            }
            assertThat(store.apply(new Batch(commands, environment.clock().instant()))
                            .accepted())
                    .isTrue();
        }
    }

    CompletableFuture<ClaimGrant> claim(String allocation, String node, VolumeKey key) throws Exception {
        AllocationId id = AllocationId.of(allocation);
        done(lifecycle.cluster().allocationStarted(id, key.namespace(), NodeId.of(node)));
        return lifecycle.claims().claim(id, List.of(ClaimRequest.writing(key, WRITER)));
    }

    void end(String allocation) throws Exception {
        done(lifecycle.cluster().allocationEnded(AllocationId.of(allocation)));
    }

    static VolumeKey key(String id) {
        return new VolumeKey(Namespace.of("default"), VolumeId.of(id));
    }

    URI at(String path) {
        return console.uri().resolve(path);
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns a page that has to be there. */
    String page(String path) throws Exception {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
        return response.body();
    }

    /** Reads a page until it has a text. */
    String awaitPage(String path, String text) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        String page = page(path);
        while (!page.contains(text)) {
            assertThat(System.nanoTime()).as("%s in %s", text, page).isLessThan(end);
            page = page(path);
        }
        return page;
    }

    @Override
    public void close() {
        console.close();
        lifecycle.close();
        environment.close();
        store.close();
    }
}
