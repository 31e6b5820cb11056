package io.csi4j.testkit.conformance.internal.check;

import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.testkit.conformance.internal.Rule;
import io.csi4j.testkit.conformance.internal.Run;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks that topologies are well-formed (R24). */
final class TopologyChecks {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");
    private static final Pattern PREFIX = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");

    private TopologyChecks() {}

    static void require(Run run, List<Topology> topologies, String what) {
        for (Topology topology : topologies) {
            Set<String> keys = new HashSet<>();
            topology.getSegmentsMap().forEach((key, value) -> {
                int slash = key.indexOf('/');
                run.must(
                        Rule.R24,
                        NAME.matcher(key.substring(slash + 1)).matches()
                                && (slash < 0
                                        || PREFIX.matcher(key.substring(0, slash))
                                                .matches()),
                        what + " has the key '" + key + "', which has not the form of a topology key");
                run.must(
                        Rule.R24,
                        value.isEmpty() || NAME.matcher(value).matches(),
                        what + " has the value '" + value + "', which is no topology value");
                run.must(Rule.R24, keys.add(key.toLowerCase(Locale.ROOT)), what + " has a key twice but for case");
            });
        }
    }
}
