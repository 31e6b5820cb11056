package io.csi4j.testkit.cli;

import io.csi4j.testkit.capability.FakeCapability;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The help text of the fake plugin program. */
final class Help {
    private static final Map<String, String> OPTIONS = new LinkedHashMap<>();

    static {
        OPTIONS.put("--endpoint", "unix:///ABS/PATH.sock|where to listen; without it, the variable CSI_ENDPOINT");
        OPTIONS.put("--services", "controller,node|what this process serves; both unless set");
        OPTIONS.put("--name", "NAME|name of the plugin (fake.csi4j.io)");
        OPTIONS.put("--vendor-version", "VERSION|version of the plugin (1.0.0)");
        OPTIONS.put("--node-id", "ID|id of this node (node-1)");
        OPTIONS.put("--known-node", "ID,...|further nodes that volumes can be published to");
        OPTIONS.put(
                "--state-dir",
                "DIR|be a real storage provider: volumes are directories and images in DIR, mounts"
                        + " are real (as root), and all survives a kill; several processes may share DIR");
        OPTIONS.put("--attach-limit", "N|volumes per node; 0 for no limit");
        OPTIONS.put("--capacity", "SIZE|how much fits in, like 10Gi or 500M");
        OPTIONS.put(
                "--segment-capacity",
                "KEY=VALUE,...:SIZE|how much fits into a topology segment, 0 for nothing; give it once for each segment");
        OPTIONS.put("--size-unit", "SIZE|round the sizes of volumes up to a multiple of this");
        OPTIONS.put("--topology", "KEY=VALUE,...|where this node is (topology.csi4j.io/zone=zone-1)");
        OPTIONS.put("--csi-version", "1.12|offer all of CSI 1.12, or of 1.13; unless set, what both have in common");
        OPTIONS.put("--enable", "CAPABILITY,...|turn capabilities on");
        OPTIONS.put("--disable", "CAPABILITY,...|turn capabilities off, with those that rest on them");
        OPTIONS.put(
                "--inline",
                "KEY,...|be a plugin for inline volumes with these attributes: NodePublishVolume makes them, there is no"
                        + " controller and no staging");
        OPTIONS.put("--inline-limit", "N|inline volumes on this node; 0 for no limit");
        OPTIONS.put("--max-page-size", "N|largest number of rows in a page of a list; 0 for no limit");
        OPTIONS.put("--mutable-parameters", "KEY,...|what can be modified (iops,throughput,tier)");
        OPTIONS.put("--faults", "FILE|fault rules, one a line: on ControllerPublishVolume times 2 fail UNAVAILABLE");
        OPTIONS.put(
                "--control",
                "unix:///ABS/PATH.sock|where another process adds faults and reads the calls; 'help' lists the"
                        + " commands");
        OPTIONS.put("--volume", "ID=SIZE,...|volumes that are there from the beginning");
    }

    private Help() {}

    static Set<String> valuedOptions() {
        return OPTIONS.keySet();
    }

    static String text() {
        StringBuilder text = new StringBuilder("""
                A strict fake CSI plugin.

                Usage: java -jar csi-testkit-VERSION-cli.jar plugin --endpoint unix:///run/plugin.sock [OPTION ...]

                Prints 'listening on unix:///...' when it is ready. SIGTERM ends it after the calls in flight.
                Without --state-dir all is in memory and nothing is mounted.

                """);
        OPTIONS.forEach((name, description) -> {
            int bar = description.indexOf('|');
            line(text, name + " " + description.substring(0, bar), description.substring(bar + 1));
        });
        line(text, "--list-capabilities", "list all capabilities, and those that are on by default");
        line(text, "--exit-on-stdin-eof", "end when standard input ends, so as not to outlive the caller");
        line(text, "--version", "tell the version");
        line(text, "--help", "tell this");
        return text.append(
                        "\nExit codes: 0 ended, 1 could not start, 2 wrong arguments, 137 crashed by a fault, 143 ended\nby SIGTERM.\n")
                .toString();
    }

    private static void line(StringBuilder text, String option, String meaning) {
        text.append(String.format("  %-36s %s%n", option, meaning));
    }

    static String capabilities() {
        StringBuilder text = new StringBuilder();
        Set<FakeCapability> defaults = FakeCapability.defaults();
        for (FakeCapability capability : FakeCapability.values()) {
            text.append(String.format(
                    "%-40s %-11s %s%n",
                    capability, capability.service(), defaults.contains(capability) ? "on" : "off"));
        }
        return text.toString();
    }

    static String version() {
        String version = Help.class.getPackage().getImplementationVersion();
        return "csi4j fake plugin " + (version == null ? "(built without a version)" : version) + ", CSI 1.12 and 1.13";
    }
}
