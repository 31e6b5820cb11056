package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.UndeclaredControllerEvent;
import io.csi4j.node.internal.codec.FingerprintCodec;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.ServersGrpc;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attacks a server with the reports of a compromised node about plugins. */
@Timeout(60)
class HostileReportsTest {
    private static final NodeId CONTROL = NodeId.of("control-1");
    private static final DeploymentId CONTROLLERS = DeploymentId.of("system", "ebs-controller");

    private final BlockingQueue<UndeclaredControllerEvent> events = new LinkedBlockingQueue<>();
    private Ground ground;
    private VolumeLifecycle engine;
    private RawPeer agent;

    @BeforeEach
    void start() throws Exception {
        ground = Ground.withoutLeader();
        engine = VolumeLifecycle.builder()
                .log(ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .controllers(ControllerTrust.declaredDeployments())
                .listener(new EventListener() {
                    @Override
                    public void undeclaredController(UndeclaredControllerEvent event) {
                        events.add(event);
                    }
                })
                .build();
        ground.start(AgentServer.builder(engine, engine.log())
                .gateway(ground.gateway)
                .environment(ground.environment)
                .listenToAgent(ground.unix("server"), NODE));
        agent = RawPeer.calling(ground.path("server").resolve("s"));
        Instant now = Instant.now();
        ground.apply(new NodeCommand.UpsertNode(CONTROL, now));
        ground.apply(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(CONTROLLERS, Map.of(PLUGIN, new ExpectedInstances(1, 0))), now));
        ground.apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of("c1"),
                Namespace.of("system"),
                CONTROL,
                Optional.of(CONTROLLERS),
                AllocationStatus.RUNNING,
                now));
        ground.apply(new PluginCommand.FingerprintNode(
                CONTROL,
                List.of(instance(CONTROL, PluginType.CONTROLLER, "c1", PluginService.CONTROLLER_SERVICE)
                        .capabilities(known -> known.withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
                        .build()),
                now));
    }

    @AfterEach
    void stop() {
        agent.close();
        ground.close();
    }

    private static PluginInstance.Builder instance(
            NodeId node, PluginType type, String allocation, PluginService... services) {
        return PluginInstance.builder(
                        new InstanceKey(node, PLUGIN, type, Optional.of(AllocationId.of(allocation))), Instant.now())
                .capabilities(Capabilities.unknown().withServices(services));
    }

    private void report(PluginInstance... instances) {
        FingerprintAnswer answer = agent.call(
                ServersGrpc.getFingerprintMethod(),
                FingerprintCodec.write(new NodeFingerprint(NODE, List.of(instances), 0, Instant.now())));
        assertThat(answer.hasFailure()).as("%s", answer).isFalse();
    }

    private PluginView plugin() {
        return get(engine.operator().plugin(PLUGIN)).orElseThrow().plugin();
    }

    @Test
    void reportedControllerIsShownAndDoesNotCount() throws Exception {
        report(instance(NODE, PluginType.CONTROLLER, "c1", PluginService.CONTROLLER_SERVICE)
                .capabilities(known -> known.withController(ControllerCapability.values()))
                .build());
        assertThat(plugin().healthyControllers()).isOne();
        assertThat(plugin().undeclaredControllers())
                .singleElement()
                .satisfies(one -> assertThat(one.key().nodeId()).isEqualTo(NODE));
        assertThat(events.poll(10, TimeUnit.SECONDS).controller().nodeId()).isEqualTo(NODE);
    }

    /** If it did, volumes would be mounted without being attached, and never be detached. */
    @Test
    void nodeCannotSayThatItsPluginHasNoController() {
        for (PluginType type : PluginType.values()) {
            report(instance(NODE, type, "d1")
                    .capabilities(known -> known.withController())
                    .build());
            assertThat(plugin().controllerNeed()).as("%s", type).isEqualTo(ControllerNeed.REQUIRED);
        }
    }

    @Test
    void serverPassesNoCallOfAnAgentOn() {
        AgentAnswer answer = agent.call(
                ServersGrpc.getForwardMethod(),
                AgentCall.newBuilder()
                        .setVersion(RawPeer.VERSION)
                        .setNodeId(CONTROL.value())
                        .build());
        assertThat(answer.getFailure().getKind()).isEqualTo(FailureKind.FAILURE_KIND_DENIED);
        assertThat(answer.getFailure().getMessage()).contains("for servers only");
    }

    @Test
    void serverForAgentsNeedsTheHostsWordAboutControllers() {
        VolumeLifecycle trusting = VolumeLifecycle.builder()
                .log(ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .build();
        AgentServerBuilder server = AgentServer.builder(trusting, ground.log)
                .gateway(ground.gateway)
                .listenToAgent(ground.unix("more"), NODE);
        assertThatThrownBy(server::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("VolumeLifecycleBuilder.controllers");
    }
}
