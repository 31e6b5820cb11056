package io.csi4j.admin.internal.console;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;

/** Writes what forgotten volumes may have left on nodes, and what withdrawn creations may have left at the provider. */
final class LeftoverTables {
    private static final int ROWS = 100;

    private LeftoverTables() {}

    /** Writes the rows of one plugin; nothing if there are none. */
    static void write(Html html, Live live, PluginId plugin) {
        leftovers(html, live, plugin);
        withdrawn(html, live, plugin);
    }

    private static void leftovers(Html html, Live live, PluginId plugin) {
        List<Leftover> rows = new ArrayList<>();
        for (Leftover leftover : live.state().leftovers()) {
            if (leftover.pluginId().equals(plugin)) {
                rows.add(leftover);
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        html.element("h2", "Left by forgotten volumes");
        HtmlTable table = new HtmlTable(html, "Leftovers", "Volume", "Former key", "On nodes", "Forgotten");
        for (Leftover leftover : rows.subList(0, Math.min(ROWS, rows.size()))) {
            List<String> nodes = new ArrayList<>();
            leftover.claims().forEach(claim -> nodes.add(claim.nodeId() + " (claim of " + claim.allocationId() + ")"));
            leftover.attachments().forEach(attachment -> nodes.add(attachment.nodeId() + " (attached)"));
            table.row()
                    .text(leftover.externalVolumeId().value())
                    .text(leftover.formerVolume().toString())
                    .text(String.join(", ", nodes))
                    .text(statement(leftover.forgotten()))
                    .endRow();
        }
        table.end();
        more(html, rows.size());
        html.element(
                "p",
                "A volume with this id that is registered again takes the leftover over and releases it. If certainly no"
                        + " node has it any more, say so with overrideLeftover.",
                "class",
                "note");
    }

    private static void withdrawn(Html html, Live live, PluginId plugin) {
        List<WithdrawnCreation> rows = new ArrayList<>();
        for (WithdrawnCreation creation : live.state().withdrawnCreations()) {
            if (creation.pluginId().equals(plugin)) {
                rows.add(creation);
            }
        }
        if (rows.isEmpty()) {
            return;
        }
        html.element("h2", "Withdrawn creations");
        HtmlTable table =
                new HtmlTable(html, "Withdrawn creations", "Name", "For the key", "At the provider", "Withdrawn");
        for (WithdrawnCreation creation : rows.subList(0, Math.min(ROWS, rows.size()))) {
            table.row()
                    .text(creation.name())
                    .text(creation.volume().toString())
                    .text(creation.externalVolumeId()
                            .map(ExternalVolumeId::value)
                            .orElse(Words.of(creation.forecast())))
                    .text(statement(creation.withdrawn()))
                    .endRow();
        }
        table.end();
        more(html, rows.size());
        html.element(
                "p",
                "Look at the provider for a volume of this name, and delete it there. Then say so with"
                        + " forgetWithdrawnCreation.",
                "class",
                "note");
    }

    private static String statement(OperatorOverride statement) {
        return statement.operator() + " at " + statement.at() + ": " + statement.reason();
    }

    private static void more(Html html, int rows) {
        if (rows > ROWS) {
            html.element("p", (rows - ROWS) + " more are not shown.", "class", "note");
        }
    }
}
