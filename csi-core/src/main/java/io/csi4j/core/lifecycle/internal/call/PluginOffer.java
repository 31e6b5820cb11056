package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a plugin offers, by its last known good facts (R38), and all the reasons why it cannot do what is
 * asked (R42). What it has not told is no reason to skip a step: it is a problem.
 */
public final class PluginOffer {
    private final PluginId pluginId;
    private final Optional<PluginFacts> facts;
    private final List<Problem> problems = new ArrayList<>();

    private PluginOffer(PluginId pluginId, Optional<PluginFacts> facts) {
        this.pluginId = pluginId;
        this.facts = facts;
    }

    public static PluginOffer of(StateReader state, PluginId pluginId) {
        PluginView view = state.plugin(pluginId);
        PluginOffer offer = new PluginOffer(pluginId, view.facts());
        if (view.facts().isEmpty() && view.isEmpty()) {
            offer.problem(
                    "is " + pluginId + ", and no node has reported such a plugin",
                    "start it and wait for it with waitForPlugin, or correct the name");
        } else if (view.facts().flatMap(PluginFacts::services).isEmpty()) {
            offer.problem(
                    "is " + pluginId + ", which has not told yet what it offers", "wait for it with waitForPlugin");
        }
        return offer;
    }

    /** Whether the plugin is known to have that service; false also while it has not told. */
    public boolean has(PluginService service) {
        return facts.flatMap(PluginFacts::services)
                .filter(services -> services.has(service))
                .isPresent();
    }

    /** Whether the controller is known to offer that; false also while it has not told. */
    public boolean has(ControllerCapability capability) {
        return has(PluginService.CONTROLLER_SERVICE)
                && facts.flatMap(PluginFacts::controllerCapabilities)
                        .filter(offered -> offered.has(capability))
                        .isPresent();
    }

    /** Whether the node service is known to offer that; false also while it has not told. */
    public boolean has(NodeCapability capability) {
        return facts.flatMap(PluginFacts::nodeCapabilities)
                .filter(offered -> offered.has(capability))
                .isPresent();
    }

    /** Whether the plugin is known not to have a controller at all, or one that cannot do that. */
    public boolean knownWithout(ControllerCapability capability) {
        return problems.isEmpty()
                && (!has(PluginService.CONTROLLER_SERVICE)
                        || facts.flatMap(PluginFacts::controllerCapabilities)
                                .filter(offered -> !offered.has(capability))
                                .isPresent());
    }

    public PluginOffer needs(PluginService service, String purpose) {
        if (problems.isEmpty() && !has(service)) {
            problem("is " + pluginId + ", which does not offer " + service + " for " + purpose, "use another plugin");
        }
        return this;
    }

    public PluginOffer needs(ControllerCapability capability, String purpose) {
        if (problems.isEmpty() && !has(PluginService.CONTROLLER_SERVICE)) {
            problem("is " + pluginId + ", which has no controller for " + purpose, "use another plugin");
        } else if (problems.isEmpty() && !has(capability)) {
            boolean told = facts.flatMap(PluginFacts::controllerCapabilities).isPresent();
            problem(
                    told
                            ? "is " + pluginId + ", which does not offer " + capability + " for " + purpose
                            : "is " + pluginId + ", whose controller has not told yet what it offers",
                    told ? "use another plugin" : "wait until a controller is healthy");
        }
        return this;
    }

    public PluginOffer needs(NodeCapability capability, String purpose) {
        if (problems.isEmpty() && !has(capability)) {
            boolean told = facts.flatMap(PluginFacts::nodeCapabilities).isPresent();
            problem(
                    told
                            ? "is " + pluginId + ", which does not offer " + capability + " on nodes for " + purpose
                            : "is " + pluginId + ", whose node service has not told yet what it offers",
                    told ? "use another plugin" : "wait until it is healthy on a node");
        }
        return this;
    }

    /** Whether the node service is known to expand volumes. */
    public boolean nodeExpands() {
        return has(NodeCapability.EXPAND_VOLUME);
    }

    /** Whether it is known that volumes are expanded only while they are not published (R82). */
    public boolean expandsOfflineOnly() {
        return facts.filter(PluginFacts::expandsOfflineOnly).isPresent();
    }

    /** One more thing in the way. */
    public void refuse(String problem, String remedy) {
        problem(problem, remedy);
    }

    /** All that is in the way. */
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    /**
     * Refuses what cannot be.
     *
     * @throws CsiRequestException if anything is in the way
     */
    public PluginOffer check(String subject) {
        if (!problems.isEmpty()) {
            throw new CsiRequestException(subject, problems);
        }
        return this;
    }

    private void problem(String problem, String remedy) {
        problems.add(new Problem("pluginId", problem, remedy));
    }
}
