package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.Rig.PLUGIN;
import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.UndeclaredControllerEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Attacks the engine with nodes that report controllers which the host has not put there. */
class UndeclaredControllerTest {
    private static final DeploymentId CONTROLLERS = DeploymentId.of("system", "p-controller");
    private static final DeploymentId NODES = DeploymentId.of("system", "p-node");
    private static final Namespace SYSTEM = Namespace.of("system");
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");

    private final VolumeRig rig = new VolumeRig();
    private final List<UndeclaredControllerEvent> events = new ArrayList<>();
    private final VolumeLifecycle host;

    UndeclaredControllerTest() {
        rig.node("n1");
        rig.node("n2");
        rig.controllers = ControllerTrust.declaredDeployments();
        rig.listener = new EventListener() {
            @Override
            public void undeclaredController(UndeclaredControllerEvent event) {
                events.add(event);
            }
        };
        host = rig.engine();
        Cluster cluster = host.cluster();
        rig.done(cluster.deploymentDeclared(
                PluginDeployment.of(CONTROLLERS, Map.of(PLUGIN, new ExpectedInstances(1, 0)))));
        rig.done(cluster.deploymentDeclared(PluginDeployment.of(NODES, Map.of(PLUGIN, new ExpectedInstances(0, 2)))));
        rig.done(cluster.allocationStarted(AllocationId.of("c1"), SYSTEM, N1, CONTROLLERS));
        rig.done(cluster.allocationStarted(AllocationId.of("d1"), SYSTEM, N1, NODES));
        rig.done(cluster.allocationStarted(AllocationId.of("d2"), SYSTEM, N2, NODES));
    }

    /** Reports an instance with all capabilities, and nothing else on its node. */
    private void report(NodeId node, PluginType type, String allocation) {
        Optional<AllocationId> id = allocation.isEmpty() ? Optional.empty() : Optional.of(AllocationId.of(allocation));
        PluginInstance instance = PluginInstance.builder(new InstanceKey(node, PLUGIN, type, id), rig.now())
                .provider("csi.example.com")
                .capabilities(Capabilities.unknown()
                        .withServices(CapabilitySet.of(io.csi4j.core.csi.PluginService.class, rig.services))
                        .withController(ControllerCapability.values()))
                .nodeInfo(Rig.nodeInfo(node.value()))
                .build();
        rig.done(host.cluster().nodePlugins(node, List.of(instance)));
    }

    private PluginView plugin() {
        return rig.done(host.operator().plugin(PLUGIN)).orElseThrow().plugin();
    }

    private Set<NodeId> called() {
        return rig.gateway.calls().stream()
                .filter(call -> call.rpc() == Rpc.CREATE_VOLUME)
                .map(call -> call.node())
                .collect(Collectors.toSet());
    }

    @Test
    void declaredControllerAloneGetsTheSecrets() {
        report(N1, PluginType.CONTROLLER, "c1");
        report(N2, PluginType.CONTROLLER, "");
        for (int i = 0; i < 20; i++) {
            rig.done(host.volumes()
                    .create(VolumeKey.of("default", "v" + i), VolumeRig.spec().build()));
        }
        assertThat(called()).containsExactly(N1);
        PluginView plugin = plugin();
        assertThat(plugin.healthyControllers()).isOne();
        assertThat(plugin.undeclaredControllerCount()).isOne();
        assertThat(plugin.undeclaredControllers())
                .singleElement()
                .satisfies(instance -> assertThat(instance.key().nodeId()).isEqualTo(N2));
        assertThat(plugin.toString()).contains("undeclaredControllers=1");
        PluginView listed =
                rig.done(host.operator().plugins(PluginQuery.all())).items().get(0);
        assertThat(listed.undeclaredControllerCount()).isOne();
        assertThat(listed.healthyControllers()).isOne();
    }

    @Test
    void allocationOfAnotherNodeOrDeploymentIsNoDeclaration() {
        for (String stolen : List.of("c1", "d2", "unknown", "")) {
            for (PluginType type : List.of(PluginType.CONTROLLER, PluginType.MONOLITH)) {
                report(N2, type, stolen);
                assertThat(plugin().healthyControllers()).as(stolen).isZero();
                assertThat(plugin().undeclaredControllerCount()).as(stolen).isOne();
            }
        }
        // The node service of the same process is used.
        assertThat(plugin().healthyNodes()).isOne();
        var creation = host.volumes().create(VOL, VolumeRig.spec().build());
        rig.run();
        assertThat(creation).isNotDone();
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(rig.failedLater(creation, UnfinishedException.class))
                .hasMessageContaining("n2")
                .hasMessageContaining("is not declared as a controller");
    }

    @Test
    void controllerIsCalledAsSoonAsItIsDeclaredAndNotAnyMoreWhenItIsNot() {
        AllocationId late = AllocationId.of("c2");
        report(N2, PluginType.CONTROLLER, "c2");
        var creation = host.volumes().create(VOL, VolumeRig.spec().build());
        rig.run();
        assertThat(creation).isNotDone();
        rig.done(host.cluster().allocationStarted(late, SYSTEM, N2, CONTROLLERS));
        // At once, and not by the next scan.
        rig.done(creation);
        assertThat(called()).containsExactly(N2);

        rig.done(host.cluster().deploymentRemoved(CONTROLLERS));
        rig.gateway.calls().clear();
        VolumeKey other = VolumeKey.of("default", "other");
        var refused = host.volumes().create(other, VolumeRig.spec().build());
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(refused).isNotDone();
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(plugin().undeclaredControllerCount()).isOne();
    }

    @Test
    void hostMayDecideByTheNode() {
        report(N1, PluginType.CONTROLLER, "c1");
        report(N2, PluginType.CONTROLLER, "");
        Set<NodeId> controlPlane = Set.of(N2);
        VolumeLifecycleBuilder builder = rig.builder();
        builder.controllers((state, controller) -> controlPlane.contains(controller.nodeId()));
        VolumeLifecycle engine = builder.build();
        engine.startLeading();
        rig.done(engine.volumes().create(VolumeRig.VOL, VolumeRig.spec().build()));
        assertThat(called()).containsExactly(N2);
        engine.stopLeading();
    }

    @Test
    void trustThatFailsTrustsNothing() {
        rig.controllers = (state, controller) -> {
            throw new IllegalStateException("the host's directory is closed");
        };
        report(N1, PluginType.CONTROLLER, "c1");
        VolumeLifecycle other = rig.engine();
        var creation = other.volumes().create(VOL, VolumeRig.spec().build());
        rig.run();
        assertThat(creation).isNotDone();
        assertThat(rig.gateway.calls()).isEmpty();
    }

    /** A node that stops and starts to report it makes no second event and no second line. */
    @Test
    void undeclaredControllerIsReportedOnce() {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getMessage().contains("was not declared")) {
                    lines.add(line.getMessage());
                }
            }

            @Override
            public void flush() {
                // Nothing is buffered.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        Logger logger = Logger.getLogger("io.csi4j.core.lifecycle.internal.worker.ClusterLog");
        logger.addHandler(handler);
        try {
            for (int i = 0; i < 5; i++) {
                report(N2, PluginType.CONTROLLER, "made-up-" + i);
                rig.clock.advance(Duration.ofMinutes(20));
                rig.done(host.cluster().nodePlugins(N2, List.of()));
                rig.clock.advance(Duration.ofMinutes(20));
            }
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(events)
                .singleElement()
                .satisfies(event -> assertThat(event.controller().nodeId()).isEqualTo(N2));
        assertThat(lines).singleElement().asString().contains("Node n2", "plugin p", "deploymentDeclared");
    }

    @Test
    void healthReportNamesTheNode() {
        report(N2, PluginType.CONTROLLER, "");
        HealthCheck check = HealthCheck.of(host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)));
        var health = check.run();
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(rig.done(health).problems())
                .filteredOn(problem -> problem.kind() == HealthProblem.Kind.CONTROLLER_UNDECLARED)
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).contains("plugin p", "by node n2"));
    }

    @Test
    void hostThatReportsItsPluginsItselfNeedsNoDeclaration() {
        VolumeRig plain = VolumeRig.started();
        assertThat(plain.engine().controllersSet()).isFalse();
        plain.made();
        assertThat(host.controllersSet()).isTrue();
    }
}
