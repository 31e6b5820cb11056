package io.csi4j.examples.javadoc;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.FilePluginStateStore;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRule;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.Blocking;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.placement.ProposedPlacement;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.SecretSets;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumes;
import io.csi4j.state.AesGcmSecretsCipher;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeStorage;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.cli.FakePluginMain;
import java.io.IOException;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;

/** The examples of the Javadoc, so that the build compiles them. {@link PackageExamplesTest} compares both. */
@SuppressWarnings({"unused", "FutureReturnValueIgnored", "resource", "try", "UnusedVariable"})
abstract class PackageExamples {
    abstract void show(Object displayed);

    abstract void report(Object reported);

    abstract void use(CsiClient client);

    abstract void replay();

    abstract void retryLater();

    abstract void giveUp();

    void agent(Path path, CommandLog log, NodeDirectory directory) {
        RemoteNodeGateway gateway = RemoteNodeGateway.builder(directory).build();
        VolumeLifecycle lifecycle = VolumeLifecycle.of(log, gateway);
    }

    void metadata(
            VolumeLifecycle lifecycle,
            GetMetadataAllocatedRequest request,
            Flow.Subscriber<GetMetadataAllocatedResponse> backup) {
        SnapshotMetadataService metadata = lifecycle.snapshots().metadata(PluginId.of("ebs0"));
        metadata.getMetadataAllocated(request).subscribe(backup);
    }

    void snapshots(VolumeLifecycle lifecycle, VolumeSpec spec) {
        SnapshotKey nightly = SnapshotKey.of("default", "db-nightly");
        lifecycle
                .snapshots()
                .create(nightly, VolumeKey.of("default", "db"), Map.of())
                .join();
        VolumeSpec copy = spec.toBuilder().sourceSnapshot(nightly).build();
        lifecycle.volumes().create(VolumeKey.of("default", "db-copy"), copy).join();
    }

    interface Histogram {
        void record(String rpc, StatusCode code, Duration duration);
    }

    void spi(ScheduledExecutorService scheduler, Histogram histogram) {
        Timer timer = Timer.from(scheduler);
        EventListener metrics = new EventListener() {
            @Override
            public void callFinished(CallEvent event) {
                histogram.record(event.rpc().csiName(), event.code(), event.duration());
            }
        };
    }

    void csi() {
        VolumeCapability capability = VolumeCapability.mount(
                VolumeAccessMode.SINGLE_NODE_WRITER,
                MountVolume.builder().fsType("ext4").build());
        CapacityRange size = CapacityRange.atLeast(10L << 30);
    }

    void rpc(ControllerService controller, VolumeCapability capability, Secrets secrets) {
        CreateVolumeRequest request = CreateVolumeRequest.builder("pvc-1", List.of(capability))
                .capacityRange(CapacityRange.atLeast(1L << 30))
                .secrets(secrets)
                .build();
        CompletableFuture<CreateVolumeResponse> response = controller.createVolume(request);
    }

    void capability(PluginFacts pluginFacts) {
        Capabilities known = pluginFacts.capabilities();
        boolean attaches = known.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
    }

    void id() {
        VolumeKey key = VolumeKey.of("default", "db-data");
        AllocationId allocation = AllocationId.of("web-7f3a");
    }

    void plugin(StateReader snapshot) {
        PluginView plugin = snapshot.plugin(PluginId.of("ebs0"));
        if (!plugin.schedulable()) {
            report(plugin.healthyNodes() + " of " + plugin.expected().nodes() + " node instances are healthy");
        }
    }

    void placement(
            ObservableState state,
            ProposedPlacement placedInThisPlan,
            ProposedPlacement placement,
            CommandLog log,
            Clock clock) {
        FeasibleNodes feasible = FeasibleNodes.in(state.snapshot()).with(placedInThisPlan);
        NodeAnswer answer = feasible.on(placement.namespace(), placement.nodeId(), placement.requests());
        if (answer.admitted()) {
            log.submit(placement.reservation(clock.instant())); // all of it, or nothing
        }
    }

    void command(
            RequestedCapability capability, AllocationId allocation, Namespace namespace, NodeId node, Clock clock) {
        ClaimRequest request = ClaimRequest.of(VolumeKey.of("default", "db-data"), ClaimMode.WRITE, capability);
        Command place =
                new ProposedPlacement(allocation, namespace, node, List.of(request)).reservation(clock.instant());
    }

    void decide(CsiCallException failure) {
        switch (failure.outcome()) {
            case OUTCOME_UNKNOWN -> replay(); // or call the opposite RPC
            case RETRY_AFTER_CAUSE -> retryLater();
            default -> giveUp();
        }
    }

    void rules() {
        CallRules rules = CallRules.defaults()
                .with(
                        Rpc.CREATE_VOLUME,
                        StatusCode.RESOURCE_EXHAUSTED,
                        CallRule.here(CallOutcome.RETRY_AFTER_CAUSE, "this provider throttles with it"));
    }

    void volume() {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("ebs0"))
                .externalVolumeId(ExternalVolumeId.of("vol-0a1b"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .build();
    }

    void state(ObservableState state) {
        StateReader now = state.snapshot();
        Optional<Volume> volume = now.volume(VolumeKey.of("default", "db-data"));
    }

    void follow(ObservableState state, VolumeKey key) {
        StateReader now = state.snapshot();
        show(now.volume(key));
        state.newerThan(StateScope.volume(key), now.index()).thenRun(() -> follow(state, key));
    }

    void cluster(Node node) {
        if (node.status().lost()) {
            // The node cannot reach storage, so a release needs no call to the node.
        }
    }

    void lifecycle(StateStore store, NodeGateway gateway, Principal caller, VolumeSpec spec) {
        VolumeLifecycle lifecycle = VolumeLifecycle.of(new LocalCommandLog(store), gateway);
        lifecycle
                .as(caller)
                .volumes()
                .create(VolumeKey.of("default", "db"), spec)
                .thenAccept(volume -> report(volume.remoteId()));
    }

    void blocking(VolumeLifecycle lifecycle, VolumeKey key, VolumeSpec spec) {
        Volume volume = Blocking.get(lifecycle.volumes().create(key, spec));
    }

    interface Vault {
        CompletableFuture<Optional<Secrets>> read(Object key);
    }

    void secrets(Vault vault) {
        SecretsProvider secrets = SecretSets.builder()
                .all(query -> vault.read(query.pluginId()))
                .rpc(
                        Rpc.NODE_STAGE_VOLUME,
                        query -> vault.read(query.volume().get().key()))
                .refuseAbsent()
                .build();
    }

    void time(CommandLog log, NodeGateway gateway, RandomGenerator random) {
        VirtualTime time = VirtualTime.inOrder();
        VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                .log(log)
                .gateway(gateway)
                .environment(time.environment(random))
                .build();
        time.advance(Duration.ofMinutes(1));
    }

    void node(NodePlugins plugins, VolumeKey key, AllocationId allocation, RequestedCapability capability) {
        NodeVolumes volumes =
                NodeVolumes.builder(Path.of("/var/lib/agent/csi"), plugins).build();
        volumes.start().join();
        NodeVolumeId id = new NodeVolumeId(key, PluginId.of("ebs0"), ExternalVolumeId.of("vol-0a1b"));
        MountedVolume mounted = volumes.mount(
                        NodeMount.builder(id, allocation, capability).build())
                .join();
        volumes.unmount(new NodeUnmount(id, allocation)).join();
    }

    void registry(InstanceKey key) {
        PluginRegistry registry = PluginRegistry.builder(NodeId.of("node-1"))
                .store(FilePluginStateStore.at(Path.of("/var/lib/host/plugins")))
                .open();
        registry.register(PluginRegistration.of(key, Path.of("/run/csi/hostpath.sock")));
        registry.waitForHealthy(PluginRole.NODE, PluginId.of("hostpath"), Duration.ofSeconds(30))
                .thenAccept(plugin -> use(plugin.connection().client()));
    }

    void retry(Endpoint endpoint) {
        CsiClient client = CsiClient.builder(endpoint)
                .retries(RetryOptions.builder()
                        .maxAttempts(6)
                        .maxBackoff(Duration.ofSeconds(10))
                        .build())
                .volumeOrder(VolumeOrder.oneAtATime())
                .build();
    }

    void client() {
        try (CsiClient client = CsiClient.connect("unix:///run/csi/hostpath.sock")) {
            // calls
        }
    }

    void store(Command command) {
        try (StateStore store = StateStore.inMemory()) {
            Outcome outcome = store.apply(command);
            StateReader now = store.snapshot();
            now.volume(VolumeKey.of("default", "data")).ifPresent(this::show);
        }
    }

    void cipher(javax.crypto.SecretKey newKey, javax.crypto.SecretKey oldKey) {
        SecretsCipher cipher = AesGcmSecretsCipher.builder()
                .currentKey("2026-11", newKey)
                .oldKey("2026-05", oldKey)
                .build();
    }

    void fake() throws IOException {
        FakeStorage storage = FakeStorage.inMemory();
        try (FakeCsiPlugin one = FakeCsiPlugin.builder()
                        .storage(storage)
                        .nodeId("node-1")
                        .build();
                FakeCsiPlugin two = FakeCsiPlugin.builder()
                        .storage(storage)
                        .nodeId("node-2")
                        .build()) {
            one.startOn("unix:///run/test/one.sock");
            two.startOn("unix:///run/test/two.sock");
            // ... let the code under test talk to both ...
            assertThat(storage.volumeIds()).isEmpty();
            assertThat(one.overlappingCalls() + two.overlappingCalls()).isZero();
        }
    }

    void fakeCapability() {
        FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                .without(FakeCapability.PUBLISH_UNPUBLISH_VOLUME)
                .build();
    }

    void instance(InstanceKey key) {
        PluginRegistration registration = PluginRegistration.of(key, Path.of("/run/csi/hostpath.sock"));
    }

    void agentDirectory(Endpoint agent) {
        NodeDirectory directory = NodeDirectory.of(Map.of(NodeId.of("node-1"), NodeRoute.direct(agent)));
    }

    void fakeProcess() {
        FakePluginMain.main(new String[] {"--endpoint", "unix:///tmp/csi.sock", "--state-dir", "/tmp/volumes"});
    }
}
