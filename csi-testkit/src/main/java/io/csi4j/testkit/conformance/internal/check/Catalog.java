package io.csi4j.testkit.conformance.internal.check;

import io.csi4j.testkit.conformance.internal.Check;
import io.csi4j.testkit.conformance.internal.Checks;
import java.util.List;

/** All checks of this kit, in the order of a run. */
public final class Catalog {
    private Catalog() {}

    /** Returns all checks. */
    public static List<Check> all() {
        Checks checks = new Checks();
        IdentityChecks.addTo(checks);
        WalkChecks.addTo(checks);
        CreateChecks.addTo(checks);
        CreateFromChecks.addTo(checks);
        DeleteAndValidateChecks.addTo(checks);
        VolumeLists.addTo(checks);
        ControllerPublishChecks.addTo(checks);
        NodePublishChecks.addTo(checks);
        SecondPublishChecks.addTo(checks);
        DataChecks.addTo(checks);
        StatsAndHealthChecks.addTo(checks);
        ExpandAndModifyChecks.addTo(checks);
        SnapshotChecks.addTo(checks);
        GroupAndMetadataChecks.addTo(checks);
        CompatibilityChecks.addTo(checks);
        ConcurrencyChecks.addTo(checks);
        ReplayChecks.addTo(checks);
        RestartChecks.addTo(checks);
        return checks.all();
    }
}
