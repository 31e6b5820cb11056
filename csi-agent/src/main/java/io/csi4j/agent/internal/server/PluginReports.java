package io.csi4j.agent.internal.server;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import java.util.Optional;

/** Takes from an agent's report about a plugin only what the agent's node decides. */
final class PluginReports {
    private PluginReports() {}

    /**
     * Returns a reported instance without the services and the controller's capabilities of its plugin, unless the
     * instance is a trusted controller. They hold for the whole cluster: a node that says that its plugin has no
     * controller would keep all volumes of the plugin from being attached and detached. As long as no trusted controller
     * has reported, the services that a node plugin reports count, because the plugin may have no controller.
     */
    static PluginInstance believable(StateReader state, ControllerTrust trust, PluginInstance reported) {
        boolean controller = reported.key().type().servesController();
        if (controller && trust.trusts(state, reported.key())) {
            return reported;
        }
        boolean known = state.facts(reported.key().pluginId())
                .flatMap(facts -> facts.capabilities().controller())
                .isPresent();
        Capabilities announced = reported.capabilities();
        boolean counts = !controller && !known;
        return reported.toBuilder()
                .capabilities(new Capabilities(
                        counts ? announced.services() : Optional.empty(),
                        counts ? announced.volumeExpansion() : Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        announced.node()))
                .build();
    }
}
