package io.csi4j.core.spi;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.state.StateReader;

/**
 * Decides which reported controllers of plugins are called. A controller gets every controller call of its plugin, with
 * the secrets of the call, so a node that only says that it runs one must not get them. The host knows where controllers
 * run.
 *
 * <pre>{@code
 * builder.controllers((state, controller) -> controlPlane.contains(controller.nodeId()));
 * }</pre>
 *
 * <p>The engine asks for each call and for each plan, so an implementation answers from memory. A controller that is not
 * trusted is shown and not called. If the implementation fails, the controller is not trusted. Thread-safe.
 */
@FunctionalInterface
public interface ControllerTrust {
    /**
     * Returns whether the calls of a plugin's controller may be sent to an instance.
     *
     * @param state a state that contains the instance
     * @param controller an instance whose type has the controller service, as its node has reported it
     */
    boolean trusts(StateReader state, InstanceKey controller);

    /**
     * Trusts a controller whose allocation the host has reported on the same node, for a deployment that is declared to
     * run controllers of the plugin: {@link io.csi4j.core.lifecycle.Cluster#deploymentDeclared} and {@link
     * io.csi4j.core.lifecycle.Cluster#allocationStarted(io.csi4j.core.id.AllocationId, io.csi4j.core.id.Namespace,
     * io.csi4j.core.id.NodeId, io.csi4j.core.id.DeploymentId)}. Every allocation of such a deployment may run a
     * controller, so give controllers and node plugins deployments of their own.
     */
    static ControllerTrust declaredDeployments() {
        return (state, controller) -> controller
                .allocationId()
                .flatMap(state::allocation)
                .filter(allocation -> !allocation.ended() && allocation.nodeId().equals(controller.nodeId()))
                .flatMap(Allocation::deployment)
                .flatMap(state::deployment)
                .filter(deployment ->
                        deployment.expectedOf(controller.pluginId()).controllers() > 0)
                .isPresent();
    }

    /**
     * Trusts the controllers of every node. Right if the host itself reports all plugins, or if every node is trusted
     * with the secrets of all volumes.
     */
    static ControllerTrust everyNode() {
        return (state, controller) -> true;
    }
}
