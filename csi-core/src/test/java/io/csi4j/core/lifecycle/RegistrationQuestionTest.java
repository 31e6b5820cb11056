package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A registration asks a healthy instance, also of a plugin without a controller service. */
class RegistrationQuestionTest {
    private static final VolumeKey OTHER = VolumeKey.of("default", "other");

    private final VolumeRig rig = VolumeRig.started();

    /** The plugin has no controller service. */
    private VolumeLifecycle nodeOnly() {
        rig.services.remove(PluginService.CONTROLLER_SERVICE);
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
        return rig.engine();
    }

    private static CompletableFuture<Volume> register(VolumeLifecycle engine) {
        return engine.volumes().register(VolumeRig.VOL, VolumeRig.spec().build());
    }

    private void nothingIsStored() {
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    private PluginInstance of(String driver) {
        return rig.instance("n1", PluginType.MONOLITH).provider(driver).build();
    }

    private static CompletableFuture<GetPluginInfoResponse> named(String driver) {
        return CompletableFuture.completedFuture(new GetPluginInfoResponse(driver, "1", Map.of()));
    }

    @Test
    void registrationIsStoredAfterInstanceOfPluginWithoutControllerAnswered() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.plan(Rpc.GET_PLUGIN_INFO, call -> {
            nothingIsStored();
            return rig.provider.answer(call);
        });
        assertThat(rig.done(register(engine))).isEqualTo(rig.volume());
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.GET_PLUGIN_INFO);
        rig.done(register(engine));
        assertThat(rig.gateway.rpcs())
                .as("a repeated registration asks again")
                .containsExactly(Rpc.GET_PLUGIN_INFO, Rpc.GET_PLUGIN_INFO);
    }

    @Test
    void registrationIsRejectedIfNoInstanceIsHealthy() {
        VolumeLifecycle engine = nodeOnly();
        rig.fingerprint(rig.instance("n1", PluginType.MONOLITH)
                .health(false, "no answer to Probe")
                .build());
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.DOWN, "", rig.now()));
        assertThat(rig.failed(register(engine), CsiRequestException.class))
                .hasMessageContainingAll(
                        "is p, and no healthy instance of it can confirm the volume",
                        "on node n1 is not healthy (no answer to Probe)",
                        "on node n2: the node is DOWN",
                        "wait for it (csi plugin wait, waitForPlugin in Java)");
        assertThat(rig.gateway.calls()).isEmpty();
        nothingIsStored();
    }

    @Test
    void refusalNamesFiveInstancesAndCountsTheOthers() {
        VolumeLifecycle engine = nodeOnly();
        rig.nodes("n3", "n4", "n5");
        List.of("n1", "n2", "n3", "n4", "n5").forEach(node -> rig.fingerprint(node, false));
        assertThat(rig.failed(register(engine), CsiRequestException.class))
                .hasMessageContainingAll("on node n1 is not healthy", "on node n5 is not healthy")
                .hasMessageNotContaining("more");
        rig.nodes("n6", "n7");
        rig.fingerprint("n6", false);
        rig.fingerprint("n7", false);
        assertThat(rig.failed(register(engine), CsiRequestException.class))
                .hasMessageContaining(", and 2 more")
                .hasMessageNotContaining("n6");
    }

    @Test
    void refusalNamesOnlyTheInstancesThatCouldConfirmTheVolume() {
        VolumeLifecycle engine = rig.engine();
        rig.fingerprint("n1", false);
        rig.fingerprint(rig.instance("n2", PluginType.NODE)
                .provider("csi.example.com")
                .health(true, "")
                .build());
        assertThat(rig.failed(register(engine), CsiRequestException.class))
                .hasMessageContainingAll("no healthy controller of it", "on node n1 is not healthy")
                .hasMessageNotContaining("n2");
    }

    @Test
    void instanceOfAnotherDriverIsNotAsked() {
        VolumeLifecycle engine = nodeOnly();
        rig.done(register(engine));
        rig.fingerprint(of("other.example.com"));
        rig.fingerprint("n2", false);
        assertThat(rig.failed(engine.volumes().register(OTHER, VolumeRig.spec().build()), CsiRequestException.class))
                .hasMessageContaining("on node n1: another driver than that of the plugin's volumes may answer there");
    }

    @Test
    void storedFactsOfPluginThatHasGoneConfirmNothing() {
        VolumeLifecycle engine = nodeOnly();
        rig.done(register(engine));
        for (String node : List.of("n1", "n2")) {
            rig.ok(new PluginCommand.FingerprintNode(NodeId.of(node), List.of(), rig.now()));
        }
        assertThat(rig.log.snapshot().facts(VolumeRig.PLUGIN)).isPresent();
        assertThat(rig.failed(engine.volumes().register(OTHER, VolumeRig.spec().build()), CsiRequestException.class))
                .hasMessageContaining("no healthy instance of it can confirm the volume: it has none");
        assertThat(rig.failed(register(engine), CsiRequestException.class))
                .as("a changed declaration is asked for, too")
                .hasMessageContaining("no healthy instance");
        assertThat(rig.log.snapshot().volume(OTHER)).isEmpty();
    }

    @Test
    void registrationIsRejectedWhileNoInstanceHasAnswered() {
        VolumeRig empty = new VolumeRig();
        empty.node("n1");
        PluginInstance waiting = PluginInstance.builder(
                        rig.instance("n1", PluginType.MONOLITH).build().key(), empty.now())
                .health(false, "its socket is missing")
                .proved(false)
                .build();
        empty.fingerprint(waiting);
        assertThat(empty.failed(register(empty.engine()), CsiRequestException.class))
                .hasMessageContainingAll(
                        "is p, of which no instance has answered yet",
                        "on node n1 since " + empty.now(),
                        "its socket is missing");
        VolumeLifecycle engine = nodeOnly();
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n1"), List.of(waiting), rig.now()));
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n2"), List.of(), rig.now()));
        assertThat(rig.failed(register(engine), CsiRequestException.class)).hasMessageContaining("is not healthy");
    }

    @Test
    void lostAnswerIsAskedForAgainOnAnotherNode() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.fail(Rpc.GET_PLUGIN_INFO, StatusCode.DEADLINE_EXCEEDED);
        rig.later(register(engine));
        assertThat(rig.gateway.calls())
                .extracting(HandCall::node)
                .doesNotHaveDuplicates()
                .hasSize(2);
    }

    @Test
    void silentPluginLeavesNothingStored() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.failAll(StatusCode.DEADLINE_EXCEEDED);
        assertThat(rig.failedLater(register(engine), UnfinishedException.class))
                .hasMessageContainingAll("GetPluginInfo failed with DEADLINE_EXCEEDED", "nothing was stored");
        nothingIsStored();
    }

    @Test
    void registrationOfPluginThatBecomesUnhealthyMeanwhileIsRejected() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.plan(Rpc.GET_PLUGIN_INFO, call -> {
            rig.fingerprint("n1", false);
            rig.fingerprint("n2", false);
            return CompletableFuture.failedFuture(HandGateway.failure(Rpc.GET_PLUGIN_INFO, StatusCode.UNAVAILABLE));
        });
        assertThat(rig.failedLater(register(engine), CsiRequestException.class))
                .hasMessageContaining("no healthy instance");
    }

    @Test
    void serverThatCrashesBeforeTheAnswerHasStoredNothing() {
        VolumeLifecycle engine = nodeOnly();
        CompletableFuture<GetPluginInfoResponse> late = new CompletableFuture<>();
        rig.gateway.plan(Rpc.GET_PLUGIN_INFO, call -> late);
        var unused = register(engine);
        rig.run();
        VolumeLifecycle next = rig.engine();
        late.complete(new GetPluginInfoResponse("csi.example.com", "1", Map.of()));
        rig.run();
        nothingIsStored();
        assertThat(rig.done(register(next))).isEqualTo(rig.volume());
    }

    @Test
    void answerOfAnotherDriverIsRejected() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.plan(Rpc.GET_PLUGIN_INFO, call -> named("other.example.com"));
        assertThat(rig.failed(register(engine), CsiRequestException.class))
                .hasMessageContainingAll(
                        "volumes belong to driver csi.example.com", "driver other.example.com answered", "setProvider");
        nothingIsStored();
    }

    @Test
    void driverThatIsReplacedAfterItAnsweredConfirmsNothing() {
        // A plugin without volumes belongs to the next driver as soon as the last instance of the former one has gone.
        VolumeLifecycle engine = rig.engine();
        rig.gateway.plan(Rpc.VALIDATE_VOLUME_CAPABILITIES, call -> {
            rig.ok(new PluginCommand.FingerprintNode(NodeId.of("n2"), List.of(), rig.now()));
            rig.fingerprint(of("other.example.com"));
            return rig.provider.answer(call);
        });
        assertThat(rig.failed(register(engine), RejectedException.class))
                .hasMessageContainingAll("driver csi.example.com has answered", "is driver other.example.com now");
        nothingIsStored();
    }

    /** The state compares it with the driver that the plugin has when the registration is applied. */
    @Test
    void registrationNamesTheDriverThatAnswered() {
        VolumeLifecycle engine = nodeOnly();
        rig.done(register(engine));
        assertThat(driverOfRegistration()).contains("csi.example.com");
        rig.gateway.plan(Rpc.GET_PLUGIN_INFO, call -> named(""));
        rig.done(register(engine));
        assertThat(driverOfRegistration())
                .as("an instance without a name is of the known driver")
                .contains("csi.example.com");
    }

    private Optional<String> driverOfRegistration() {
        Command last = rig.log.commands.get(rig.log.commands.size() - 1);
        return ((VolumeCommand.RegisterVolume) last).driver();
    }

    @Test
    void olderAgentHasThePluginAnswerNodeGetInfo() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.fail(Rpc.GET_PLUGIN_INFO, StatusCode.UNIMPLEMENTED);
        assertThat(rig.done(register(engine))).isEqualTo(rig.volume());
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.GET_PLUGIN_INFO, Rpc.NODE_GET_INFO);
    }

    @Test
    void gatewayThatCannotAskConfirmsNothing() {
        VolumeLifecycle engine = nodeOnly();
        rig.gateway.fail(Rpc.GET_PLUGIN_INFO, StatusCode.UNIMPLEMENTED);
        rig.gateway.fail(Rpc.NODE_GET_INFO, StatusCode.UNIMPLEMENTED);
        assertThat(rig.failed(register(engine), CsiCallException.class).code()).isEqualTo(StatusCode.UNIMPLEMENTED);
        nothingIsStored();
    }
}
