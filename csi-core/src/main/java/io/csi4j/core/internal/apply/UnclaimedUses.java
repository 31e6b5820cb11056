package io.csi4j.core.internal.apply;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.VolumeUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * The reports of the machines that are or were behind a node. A report of one machine, or a statement about it, never
 * ends a use of another one.
 */
final class UnclaimedUses {
    private UnclaimedUses() {}

    /** Returns a report with the machine that it is about. A report that does not say it is one of the present machine. */
    static LedgerReport ofItsMachine(LedgerReport report, Node node) {
        if (report.machines().isPresent()) {
            return report;
        }
        Map<PluginId, ExternalNodeId> ids = new TreeMap<>();
        for (NodeMachine machine : node.machines()) {
            ids.put(machine.pluginId(), machine.externalNodeId());
        }
        return report.of(ids);
    }

    /** Returns whether a report is about another machine than the one whose plugins were reported last. */
    static boolean isOfOtherMachine(LedgerReport report, Node node) {
        return report.machines().orElse(Map.of()).keySet().stream()
                .anyMatch(plugin -> node.isFormer(plugin, report.machine(plugin)));
    }

    /** Returns what is left of the known reports when a machine has reported again. */
    static List<LedgerReport> without(List<LedgerReport> known, LedgerReport newer) {
        // A machine that had the plugin knows its id, so a machine without the id is another one.
        return left(
                known,
                (report, plugin) -> report.machine(plugin).isPresent()
                        && !report.machine(plugin).equals(newer.machine(plugin)));
    }

    /** Returns what is left of the known reports when the host has said that the present machine is lost. */
    static List<LedgerReport> withoutPresent(List<LedgerReport> known, Node node) {
        return left(known, (report, plugin) -> node.isFormer(plugin, report.machine(plugin)));
    }

    /** Returns what is left of the known reports when one plugin's uses on a machine have ended or are known otherwise. */
    static List<LedgerReport> without(List<LedgerReport> known, PluginId pluginId, ExternalNodeId machine) {
        List<LedgerReport> left = new ArrayList<>();
        for (LedgerReport report : known) {
            if (report.machine(pluginId).filter(machine::equals).isEmpty()) {
                left.add(report);
            } else {
                Map<PluginId, ExternalNodeId> others =
                        new TreeMap<>(report.machines().orElseThrow());
                others.remove(pluginId);
                List<VolumeUse> uses = report.uses().stream()
                        .filter(use -> !use.pluginId().equals(pluginId))
                        .toList();
                // A volume without a known user has no plugin, so it stays until the last plugin's uses have ended.
                left.add(new LedgerReport(uses, others.isEmpty() ? List.of() : report.unclear(), Optional.of(others)));
            }
        }
        return left;
    }

    private static List<LedgerReport> left(List<LedgerReport> known, BiPredicate<LedgerReport, PluginId> isOfOther) {
        List<LedgerReport> left = new ArrayList<>();
        for (LedgerReport report : known) {
            boolean other = report.machines().orElse(Map.of()).keySet().stream()
                    .anyMatch(plugin -> isOfOther.test(report, plugin));
            List<VolumeUse> uses = report.uses().stream()
                    .filter(use -> isOfOther.test(report, use.pluginId()))
                    .toList();
            left.add(new LedgerReport(uses, other ? report.unclear() : List.of(), report.machines()));
        }
        return left;
    }
}
