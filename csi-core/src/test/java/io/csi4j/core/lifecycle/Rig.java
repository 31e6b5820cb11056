package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The common parts of all rigs: time, threads, log, plugins and provider that the test controls, and the reports of a
 * host.
 */
abstract class Rig {
    static final PluginId PLUGIN = PluginId.of("p");
    static final VolumeKey VOL = VolumeKey.of("default", "vol");

    final VirtualTime clock = VirtualTime.inOrder();
    final HandLog log = new HandLog(clock);
    final FakeProvider provider = new FakeProvider();
    final HandGateway gateway = new HandGateway(provider);

    void run() {
        clock.run();
    }

    Instant now() {
        return clock.instant();
    }

    /** Submits a command of the host, which must be accepted. */
    Outcome.Accepted ok(Command command) {
        Outcome outcome = log.submit(command).join();
        assertThat(outcome.accepted()).as("%s: %s", command, outcome).isTrue();
        return (Outcome.Accepted) outcome;
    }

    void node(String name) {
        ok(new NodeCommand.UpsertNode(NodeId.of(name), now()));
    }

    static NodeInfo nodeInfo(String node) {
        return new NodeInfo(ExternalNodeId.of("ext-" + node), 0, Optional.empty());
    }

    PluginInstance.Builder instance(String node, PluginType type) {
        return PluginInstance.builder(new InstanceKey(NodeId.of(node), PLUGIN, type, Optional.empty()), now())
                .capabilities(Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE));
    }

    void fingerprint(PluginInstance instance) {
        ok(new PluginCommand.FingerprintNode(instance.key().nodeId(), List.of(instance), now()));
    }

    void allocation(String id, String node, AllocationStatus status) {
        ok(new AllocationCommand.UpsertAllocation(
                AllocationId.of(id), Namespace.of("default"), NodeId.of(node), Optional.empty(), status, now()));
    }

    /** Puts a profile of the plugin with settings of its calls. */
    void calls(CallSettings.Builder calls) {
        PluginProfile profile =
                PluginProfile.builder(PLUGIN).calls(calls.build()).build();
        assertThat(profile.problems()).isEmpty();
        ok(new PluginProfileCommand.PutPluginProfile(profile, 0, now()));
    }

    Volume get(VolumeKey key) {
        return log.snapshot().volume(key).orElseThrow();
    }

    /** Runs all ready tasks, and returns the value of the future. */
    <R> R done(CompletableFuture<R> future) {
        run();
        assertThat(future).isDone();
        return future.join();
    }

    /** Advances the time until retries have completed the future, and returns its value. */
    <R> R later(CompletableFuture<R> future) {
        clock.advance(Duration.ofHours(1));
        return done(future);
    }

    <X extends Throwable> X failed(CompletableFuture<?> future, Class<X> type) {
        run();
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(type);
            return type.cast(e.getCause());
        }
        throw new AssertionError("the operation did not fail");
    }

    <X extends Throwable> X failedLater(CompletableFuture<?> future, Class<X> type) {
        clock.advance(Duration.ofHours(1));
        return failed(future, type);
    }
}
