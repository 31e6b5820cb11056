package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.api.CallRuleTexts;
import io.csi4j.admin.internal.console.ListFilter.Field;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.state.ListPage;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes the page of all plugins, with the number of their healthy instances, and the page of one plugin. */
final class PluginsPage {
    private static final int INSTANCES = 500;

    private static final int SIZE = 50;

    private final ListFilter filter;

    PluginsPage(Request request) {
        this.filter = new ListFilter(
                request,
                "/plugins",
                "plugins",
                Field.text("prefix", "Id begins with"),
                Field.yesOrNo("claims", "Claims possible"),
                Field.yesOrNo("controller", "Healthy controller"));
    }

    void form(Html html) {
        filter.form(html);
    }

    void write(Html html, LiveReader reader) {
        PluginQuery.Builder query = PluginQuery.builder().limit(SIZE);
        filter.value("prefix", prefix -> prefix).ifPresent(query::idPrefix);
        filter.yes("claims").ifPresent(query::schedulable);
        filter.yes("controller").ifPresent(query::controller);
        filter.value("after", PluginId::of).ifPresent(query::after);
        ListPage<PluginView, PluginId> page =
                LiveReader.joined(reader.lifecycle().operator().plugins(query.build()));
        table(html, page.items());
        filter.pages(html, page.next().map(PluginId::value));
    }

    static void table(Html html, List<PluginView> plugins) {
        if (plugins.isEmpty()) {
            html.element("p", "No node has reported a plugin, and no deployment runs one.", "class", "empty");
            return;
        }
        HtmlTable table =
                new HtmlTable(html, "Plugins", "Plugin", "Claims", "Controllers healthy", "Nodes healthy", "Provider");
        for (PluginView plugin : plugins) {
            table.row().cell();
            Links.plugin(html, plugin.pluginId());
            table.done().cell();
            if (plugin.conflictCount() > 0) {
                html.badge(plugin.conflictCount() + " of another driver", "bad");
            }
            if (plugin.undeclaredControllerCount() > 0) {
                html.badge(plugin.undeclaredControllerCount() + " undeclared", "bad");
            }
            if (plugin.unprovedCount() > 0) {
                html.badge(plugin.unprovedCount() + " without an answer yet", "busy");
            }
            html.badge(plugin.schedulable() ? "possible" : "not possible", plugin.schedulable() ? "good" : "bad");
            table.done();
            health(table, html, plugin.healthyControllers(), plugin.expected().controllers());
            health(table, html, plugin.healthyNodes(), plugin.expected().nodes());
            table.text(VolumesPage.version(plugin)).endRow();
        }
        table.end();
    }

    private static void health(HtmlTable table, Html html, int healthy, int expected) {
        table.cell();
        String text = expected == 0 ? "" + healthy : healthy + " of " + expected;
        if (healthy < expected) {
            html.badge(text, healthy == 0 ? "bad" : "busy");
        } else {
            html.text(text);
        }
        table.done();
    }

    /** Writes one plugin with its instances. */
    static void details(Html html, PluginView plugin, Live live) {
        table(html, List.of(plugin));
        html.open("p", "class", "note");
        html.text("Provider " + plugin.provider().orElse("not known") + ", version "
                + plugin.vendorVersion().orElse("not known") + ", controller " + Words.of(plugin.controllerNeed())
                + ". ");
        html.link(Request.address("/volumes", "plugin", plugin.pluginId().value()), "Volumes of the plugin");
        html.close("p");
        if (plugin.conflictCount() > 0) {
            html.element(
                    "p",
                    plugin.conflictCount() + " instances run another driver than "
                            + plugin.provider().orElse("") + " and are not called. Start the right driver there, or"
                            + " say which name is right: csi plugin set-provider.",
                    "class",
                    "note");
        }
        if (plugin.undeclaredControllerCount() > 0) {
            html.element(
                    "p",
                    plugin.undeclaredControllerCount()
                            + " controllers were not declared and are not called. If the host"
                            + " has put them there, declare their deployment, or trust their nodes; if not, find out"
                            + " what those nodes do.",
                    "class",
                    "note");
        }
        html.element("h2", "Instances");
        HtmlTable table =
                new HtmlTable(html, "Instances", "Node", "Serves", "Health", "Report", "Changed", "Last contact");
        List<PluginInstance> instances = plugin.instances();
        for (PluginInstance instance : instances.stream().limit(INSTANCES).toList()) {
            table.row().cell();
            Links.node(html, instance.key().nodeId());
            table.done().text(Words.of(instance.key().type())).cell();
            if (plugin.conflicts().contains(instance)) {
                html.badge("other driver: " + instance.provider().orElse(""), "bad");
            } else if (plugin.undeclaredControllers().contains(instance)) {
                html.badge("undeclared controller", "bad");
            } else {
                html.badge(instance.healthy() ? "healthy" : "not healthy", instance.healthy() ? "good" : "bad");
            }
            table.done()
                    .text(instance.healthDescription().isEmpty() ? "-" : instance.healthDescription())
                    .number(Words.age(instance.updatedAt(), live.at()) + " ago")
                    .number(NodesPage.contact(live.node(instance.key().nodeId()), live.at()))
                    .endRow();
        }
        plugin.unproved().stream().limit(INSTANCES).forEach(instance -> unproved(table, html, instance, live));
        table.end();
        if (instances.size() > INSTANCES) {
            html.element("p", (instances.size() - INSTANCES) + " more are not shown.", "class", "note");
        }
        LeftoverTables.write(html, live, plugin.pluginId());
    }

    /** Writes what the plugin needs beyond CSI. */
    static void profile(Html html, Optional<PluginProfile> profile) {
        html.element("h2", "Profile");
        if (profile.isEmpty()) {
            html.element("p", "None: the plugin gets the requests of CSI only.", "class", "empty");
            return;
        }
        HtmlTable table = new HtmlTable(
                html,
                "Profile",
                "Workload info",
                "Extra metadata",
                "Snapshot metadata",
                "Security label",
                "Files that nodes give to a group",
                "Published again",
                "Tokens",
                "Revision");
        RepublishOptions republish = profile.get().republish();
        table.row()
                .text(profile.get().workloadInfo() ? "yes" : "no")
                .text(profile.get().extraMetadata() ? "yes" : "no")
                .text(profile.get().snapshotMetadata() ? "yes" : "no")
                .text(profile.get().securityLabel() ? "yes" : "no")
                .text(ownership(profile.get().ownership()))
                .text(republish.repeats() ? "every " + Durations.text(republish.interval()) : "no")
                .text(tokens(republish))
                .number("" + profile.get().modifyIndex())
                .endRow();
        table.end();
        calls(html, profile.get().calls());
    }

    /** Writes how the controllers of the plugin are called, if that is in its profile. */
    private static void calls(Html html, CallSettings calls) {
        if (calls.equals(CallSettings.ofDefaults())) {
            return;
        }
        HtmlTable table = new HtmlTable(html, "Calls", "Calls in flight", "Calls per volume", "Controllers by place");
        table.row()
                .number(calls.callsInFlight() == 0 ? "as the engine says" : "" + calls.callsInFlight())
                .number("" + calls.callsPerVolume())
                .text(calls.controllersByPlace() ? "yes" : "no")
                .endRow();
        table.end();
        rules(html, calls.rules());
    }

    /** Writes the rules for the failures of a plugin that differ from CSI. */
    private static void rules(Html html, CallRules rules) {
        if (rules.notFoundAsDone()) {
            html.element(
                    "p", "NOT_FOUND of ControllerUnpublishVolume and DeleteVolume counts as success.", "class", "note");
        }
        for (String rule : CallRuleTexts.of(rules)) {
            html.element("p", "Call rule: " + rule, "class", "note");
        }
    }

    private static String ownership(OwnershipSettings settings) {
        if (settings.fixed()) {
            return "no files";
        }
        return settings.excludes().isEmpty()
                ? "all files"
                : "all but " + settings.excludes().stream().map(Text::printable).collect(Collectors.joining(", "));
    }

    private static String tokens(RepublishOptions republish) {
        if (!republish.hasTokens()) {
            return "none";
        }
        String where = republish.delivery() == RepublishOptions.Delivery.SECRETS ? "secrets" : "volume context";
        String audiences = republish.audiences().stream()
                .map(name -> name.isEmpty() ? "the default of the issuer" : name)
                .collect(Collectors.joining(", "));
        return "for " + audiences + " in the " + where + (republish.onlyAtMount() ? ", only at the mount" : "");
    }

    /** Writes an instance that has not answered yet, with the time of its registration in place of the last change. */
    private static void unproved(HtmlTable table, Html html, PluginInstance instance, Live live) {
        table.row().cell();
        Links.node(html, instance.key().nodeId());
        table.done().text(Words.of(instance.key().type())).cell();
        html.badge("registered, no answer yet", "busy");
        table.done()
                .text(instance.healthDescription().isEmpty() ? "-" : instance.healthDescription())
                .number(Words.age(instance.startedAt(), live.at()) + " ago")
                .number(NodesPage.contact(live.node(instance.key().nodeId()), live.at()))
                .endRow();
    }
}
