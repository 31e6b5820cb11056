package io.csi4j.core.internal.apply;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.internal.text.Digest;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The place where a claim makes a volume.
 *
 * @param refusal the reason why the volume cannot be made for this node, now or ever; null if it can
 * @param node the topology of the node; null if the plugin has no topologies
 */
record TemplatePlace(
        @Nullable AdmissionDecision refusal, @Nullable Topology node) {
    /** The most topologies in a request. */
    static final int MOST_TOPOLOGIES = 256;

    private static final Pattern NUMBERED = Pattern.compile("(.*)\\[(\\d{1,9})]");

    static TemplatePlace of(VolumeClass row, VolumeTemplate template, PlacementFacts facts) {
        if (!facts.capabilities().has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
            return template.nodeTopologyOnly()
                    ? refused(new AdmissionDecision.Never(
                            NeverReason.PLUGIN_CANNOT,
                            "the template asks for the topology of the node, and plugin " + row.pluginId()
                                    + " has no topologies; leave nodeTopologyOnly out"))
                    : new TemplatePlace(null, null);
        }
        Optional<Topology> node = facts.nodeInfo().flatMap(NodeInfo::accessibleTopology);
        if (node.isEmpty()) {
            return refused(new AdmissionDecision.Wait(
                    WaitReason.PLUGIN_NOT_KNOWN,
                    List.of(),
                    "plugin " + row.pluginId() + " has not reported yet the topology of node " + facts.nodeId()));
        }
        List<Topology> allowed = row.allowedTopologies();
        if (!allowed.isEmpty() && !node.get().containsAny(allowed)) {
            return refused(new AdmissionDecision.Never(
                    NeverReason.TOPOLOGY_NOT_ALLOWED,
                    "node " + facts.nodeId() + " is in " + node.get() + ", and class " + row.name() + " allows "
                            + allowed + "; place the allocation there"));
        }
        return new TemplatePlace(null, node.get());
    }

    private static TemplatePlace refused(AdmissionDecision decision) {
        return new TemplatePlace(decision, null);
    }

    /**
     * Returns the topologies that CreateVolume asks for (R53): first that of the node, which is preferred, and then those of
     * the other nodes that the class allows. They are read once, and stored with the volume, so that each repetition of the
     * call asks for the same ones in the same order. Empty if the plugin has no topologies.
     */
    Optional<TopologyRequirement> requirement(StateReader state, VolumeClass row, VolumeTemplate template) {
        if (node == null) {
            return Optional.empty();
        }
        List<Topology> requisite = new ArrayList<>(List.of(node));
        if (!template.nodeTopologyOnly()) {
            requisite.addAll(others(state, row, node));
        }
        return Optional.of(new TopologyRequirement(requisite, List.of(node)));
    }

    /**
     * Returns the topologies that CreateVolume asks for if the place is chosen when the volume is created (R53): one after
     * the other for volumes that differ in their number in brackets, and a random but repeatable one for others. Empty if
     * the plugin has no topologies, or no node has reported one that the class allows.
     */
    static Optional<TopologyRequirement> atCreation(StateReader state, VolumeClass row, VolumeKey key) {
        List<Topology> all = row.binding() == VolumeBinding.AT_CREATION
                        && PluginOffer.of(state, row.pluginId()).has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
                ? allowed(state, row).stream()
                        .sorted(Comparator.comparing(TemplatePlace::text))
                        .toList()
                : List.of();
        if (all.isEmpty()) {
            return Optional.empty();
        }
        Matcher numbered = NUMBERED.matcher(key.volumeId().value());
        boolean isNumbered = numbered.matches();
        String name = isNumbered ? numbered.group(1) : key.volumeId().value();
        long number = isNumbered ? Long.parseLong(numbered.group(2)) : 0;
        long hash = Long.parseLong(
                Digest.of(
                        Integer.BYTES, key.namespace().value(), name, row.name().value()),
                16);
        Topology first = all.get((int) ((hash + number) % all.size()));
        List<Topology> requisite = new ArrayList<>(List.of(first));
        all.stream().filter(topology -> !topology.equals(first)).forEach(requisite::add);
        return Optional.of(new TopologyRequirement(
                requisite.subList(0, Math.min(requisite.size(), MOST_TOPOLOGIES)), List.of(first)));
    }

    /** Returns the complete topologies of the other nodes that the class allows, the first ones by their texts. */
    private static List<Topology> others(StateReader state, VolumeClass row, Topology node) {
        NavigableMap<String, Topology> others = new TreeMap<>();
        for (Topology there : allowed(state, row)) {
            if (!there.equals(node)) {
                others.put(text(there), there);
                if (others.size() == MOST_TOPOLOGIES) {
                    others.pollLastEntry();
                }
            }
        }
        return List.copyOf(others.values());
    }

    /** Returns the complete topologies of the nodes that the class allows, without an order. */
    private static List<Topology> allowed(StateReader state, VolumeClass row) {
        Set<Topology> found = new HashSet<>();
        List<Topology> allowed = new ArrayList<>();
        for (PluginInstance instance : state.instancesOf(row.pluginId())) {
            instance.nodeInfo()
                    .flatMap(NodeInfo::accessibleTopology)
                    .filter(found::add)
                    .filter(each -> row.allowedTopologies().isEmpty() || each.containsAny(row.allowedTopologies()))
                    .ifPresent(allowed::add);
        }
        return allowed;
    }

    /** Returns the specification of a volume that is made: of the topologies, only the preferred one is kept. */
    static VolumeSpec settled(VolumeSpec spec) {
        return spec.accessibilityRequirements()
                .map(asked -> spec.toBuilder()
                        .accessibilityRequirements(new TopologyRequirement(asked.preferred(), asked.preferred()))
                        .restore())
                .orElse(spec);
    }

    private static String text(Topology topology) {
        return new TreeMap<>(topology.segments()).toString();
    }

    /** Returns whether a volume that was begun for another node is in this place, or will be. */
    boolean holds(Volume volume) {
        if (node == null) {
            return true;
        }
        if (volume.externalVolumeId().isPresent()) {
            return volume.facts().accessibleTopology().isEmpty()
                    || node.containsAny(volume.facts().accessibleTopology());
        }
        return volume.spec()
                .accessibilityRequirements()
                .filter(asked -> asked.preferred().equals(List.of(node)))
                .isPresent();
    }
}
