package io.csi4j.simulation.internal.world;

import io.csi4j.simulation.LogUnderTest;
import io.csi4j.simulation.PlacementPolicy;
import io.csi4j.simulation.SchedulerLoop;
import io.csi4j.simulation.WorkloadSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The size, the faults and the programs of a simulation.
 *
 * @param nodeVolumesShare the share of seeds, from 0 to 1, in which agents run the real {@code NodeVolumes}, not a
 *     model
 * @param databaseShare the share of seeds, from 0 to 1, whose log is one in a database
 * @param templatesShare the share of seeds, from 0 to 1, in which a part of the random workloads makes its volumes from
 *     templates
 * @param decorator wraps the services that engines and agents use; tests plant defects with it
 * @param placement the scheduler under test; null: nodes are chosen at random
 * @param source the workloads under test; null: they are chosen at random
 * @param loop the loop of the scheduler under test; null: nothing but the end of its lifetime ends a workload
 * @param log the log under test; null: the simulation uses its own model of a log
 */
public record SimConfig(
        int nodes,
        int volumes,
        int workloads,
        Duration chaos,
        double faultRate,
        double nodeVolumesShare,
        double databaseShare,
        double templatesShare,
        PortDecorator decorator,
        @Nullable PlacementPolicy placement,
        @Nullable WorkloadSource source,
        @Nullable SchedulerLoop loop,
        @Nullable LogUnderTest log) {
    private static final double NODE_VOLUMES_SHARE = 1.0 / 3;
    private static final double DATABASE_SHARE = 1.0 / 8;
    private static final double TEMPLATES_SHARE = 1.0 / 4;

    /** A small cluster with many faults. */
    public static SimConfig ofDefaults() {
        return new SimConfig(
                3,
                5,
                24,
                Duration.ofMinutes(8),
                0.25,
                NODE_VOLUMES_SHARE,
                DATABASE_SHARE,
                TEMPLATES_SHARE,
                PortDecorator.NONE,
                null,
                null,
                null,
                null);
    }

    /** Returns the same options with another decorator. */
    public SimConfig with(PortDecorator decorator) {
        return new SimConfig(
                nodes,
                volumes,
                workloads,
                chaos,
                faultRate,
                nodeVolumesShare,
                databaseShare,
                templatesShare,
                decorator,
                placement,
                source,
                loop,
                log);
    }

    /** Returns the same options with another share of seeds in which agents run the real {@code NodeVolumes}. */
    public SimConfig withNodeVolumes(double share) {
        return new SimConfig(
                nodes,
                volumes,
                workloads,
                chaos,
                faultRate,
                share,
                databaseShare,
                templatesShare,
                decorator,
                placement,
                source,
                loop,
                log);
    }

    /** Returns the same options with another share of seeds whose log is one in a database. */
    public SimConfig withDatabases(double share) {
        return new SimConfig(
                nodes,
                volumes,
                workloads,
                chaos,
                faultRate,
                nodeVolumesShare,
                share,
                templatesShare,
                decorator,
                placement,
                source,
                loop,
                log);
    }

    /** Returns the same options with another share of seeds in which workloads make their volumes from templates. */
    public SimConfig withTemplates(double share) {
        return new SimConfig(
                nodes,
                volumes,
                workloads,
                chaos,
                faultRate,
                nodeVolumesShare,
                databaseShare,
                share,
                decorator,
                placement,
                source,
                loop,
                log);
    }
}
