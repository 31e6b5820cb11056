package io.csi4j.core.internal.apply;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Compares a request with the capabilities in the plugin's last report (R38), and collects the reasons why the plugin
 * cannot perform the request (R42). A missing report is such a reason too. If instances of the plugin differ, for example
 * during an upgrade, a capability of the controller counts as offered if one healthy instance offers it: the call goes to
 * that instance.
 */
public final class PluginOffer {
    private final PluginId pluginId;
    private final Optional<PluginFacts> facts;
    private final Capabilities known;
    private final List<PluginInstance> instances;
    private final List<Problem> problems = new ArrayList<>();

    private PluginOffer(PluginId pluginId, Optional<PluginFacts> facts, List<PluginInstance> instances) {
        this.pluginId = pluginId;
        this.facts = facts;
        this.known = facts.map(PluginFacts::capabilities).orElseGet(Capabilities::unknown);
        this.instances = instances;
    }

    public static PluginOffer of(StateReader state, PluginId pluginId) {
        PluginView view = state.plugin(pluginId);
        PluginOffer offer = new PluginOffer(pluginId, view.facts(), view.instances());
        if (view.facts().isEmpty() && view.isEmpty() && !view.unproved().isEmpty()) {
            PluginInstance first = view.unproved().get(0);
            offer.refuse(
                    "is " + pluginId + ", of which no instance has answered yet: "
                            + view.unproved().size() + " are registered, " + first.key() + " since "
                            + first.startedAt() + " (" + first.healthDescription() + ")",
                    "wait for it (csi plugin wait, waitForPlugin in Java), or look at its task");
        } else if (view.facts().isEmpty() && view.isEmpty()) {
            offer.refuse(
                    "is " + pluginId + ", and no node has reported such a plugin",
                    "start it and wait for it (csi plugin wait, waitForPlugin in Java), or correct the name");
        } else if (offer.known.services().isEmpty()) {
            offer.refuse(
                    "is " + pluginId + ", which has not reported its capabilities yet",
                    "wait for it (csi plugin wait, waitForPlugin in Java)");
        }
        return offer;
    }

    /**
     * Returns whether a volume cannot be expanded now, because it is in use and its plugin expands only volumes that are
     * not in use (R82).
     */
    public static boolean blocksExpansion(StateReader state, Volume volume) {
        return volume.inUse() && of(state, volume.pluginId()).expandsOfflineOnly();
    }

    /** Returns whether the plugin has reported the service. */
    public boolean has(PluginService service) {
        return known.has(service);
    }

    /** Returns whether the plugin's controller has reported the capability. */
    public boolean has(ControllerCapability capability) {
        return (has(PluginService.CONTROLLER_SERVICE) && known.has(capability)) || anInstanceHas(capability);
    }

    private boolean anInstanceHas(ControllerCapability capability) {
        for (PluginInstance instance : instances) {
            if (instance.healthy()
                    && instance.key().type().servesController()
                    && facts.filter(one -> one.conflictsWith(instance)).isEmpty()
                    && instance.capabilities().has(PluginService.CONTROLLER_SERVICE)
                    && instance.capabilities().has(capability)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the plugin's node service has reported the capability. */
    public boolean has(NodeCapability capability) {
        return known.has(capability);
    }

    /** Returns whether the plugin has reported that it has no controller, or a controller without the capability. */
    public boolean knownWithout(ControllerCapability capability) {
        return problems.isEmpty()
                && !anInstanceHas(capability)
                && (!has(PluginService.CONTROLLER_SERVICE) || known.lacks(capability));
    }

    public PluginOffer needs(PluginService service, String purpose) {
        if (problems.isEmpty() && !has(service)) {
            refuse("is " + pluginId + ", which does not offer " + service + " for " + purpose, "use another plugin");
        }
        return this;
    }

    public PluginOffer needs(ControllerCapability capability, String purpose) {
        if (problems.isEmpty() && !has(PluginService.CONTROLLER_SERVICE) && !has(capability)) {
            refuse("is " + pluginId + ", which has no controller for " + purpose, "use another plugin");
        } else if (problems.isEmpty() && !has(capability)) {
            boolean reported = known.controller().isPresent();
            refuse(
                    reported
                            ? "is " + pluginId + ", which does not offer " + capability + " for " + purpose
                            : "is " + pluginId + ", whose controller has not reported its capabilities yet",
                    reported ? "use another plugin" : "wait until a controller is healthy");
        }
        return this;
    }

    public PluginOffer needs(NodeCapability capability, String purpose) {
        if (problems.isEmpty() && !has(capability)) {
            boolean reported = known.node().isPresent();
            refuse(
                    reported
                            ? "is " + pluginId + ", which does not offer " + capability + " on nodes for " + purpose
                            : "is " + pluginId + ", whose node service has not reported its capabilities yet",
                    reported ? "use another plugin" : "wait until it is healthy on a node");
        }
        return this;
    }

    /** Returns whether the plugin's node service has reported that it expands volumes. */
    public boolean nodeExpands() {
        return has(NodeCapability.EXPAND_VOLUME);
    }

    /** Returns whether the plugin has reported that it expands only volumes that are not published (R82). */
    public boolean expandsOfflineOnly() {
        return facts.filter(PluginFacts::expandsOfflineOnly).isPresent();
    }

    /**
     * Adds a reason why the plugin cannot perform the request.
     *
     * @param remedy the step that the operator can take
     */
    public void refuse(String problem, String remedy) {
        problems.add(new Problem("pluginId", problem, remedy));
    }

    /** Returns all reasons that were added. */
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    /**
     * Throws an exception with all added reasons. Has no effect if no reason was added.
     *
     * @throws CsiRequestException with all reasons
     */
    public PluginOffer check(String subject) {
        if (!problems.isEmpty()) {
            throw new CsiRequestException(subject, problems);
        }
        return this;
    }
}
