package io.csi4j.benchmarks.engine;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.state.StateStore;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Measures in one thread the creation of a volume that quotas permit, or do not permit, by the number of volumes. */
final class QuotaCost {
    private static final int FEW = 1_000;
    private static final int CREATIONS = 2_000;
    private static final int WARM_UP = 10;
    private static final VolumeTemplate TEMPLATE = VolumeTemplate.of(EngineRig.CLASS);
    private static final List<QuotaKey> QUOTAS =
            List.of(QuotaKey.of(EngineRig.NAMESPACE), QuotaKey.of(EngineRig.NAMESPACE, EngineRig.CLASS));

    private QuotaCost() {}

    static void run(int volumes, int rounds) {
        double[] fewRefused = new double[rounds];
        double[] manyRefused = new double[rounds];
        double[] fewMade = new double[rounds];
        double[] manyMade = new double[rounds];
        try (StateStore few = store(FEW);
                StateStore many = store(volumes)) {
            for (int round = -WARM_UP; round < rounds; round++) {
                int at = Math.max(round, 0);
                fewRefused[at] = refused(few, FEW);
                manyRefused[at] = refused(many, volumes);
                fewMade[at] = made(few, FEW, round);
                manyMade[at] = made(many, volumes, round);
            }
        }
        String volumesText = volumes + " volumes against " + FEW;
        TemplateBenchmark.ratio("creation that a quota refuses, " + volumesText, manyRefused, fewRefused, "near 1");
        TemplateBenchmark.ratio("creation that quotas permit, " + volumesText, manyMade, fewMade, "");
    }

    private static StateStore store(int volumes) {
        StateStore store = StateStore.inMemory();
        EngineRig.zonedCluster(TemplateBenchmark.PLUGIN, EngineRig.NODES, EngineRig.ZONES)
                .forEach(command -> TemplateNodes.apply(store, command));
        for (int from = 0; from < volumes; from += FEW) {
            List<Command> commands = new ArrayList<>();
            for (int i = from; i < Math.min(volumes, from + FEW); i++) {
                commands.add(create("volume-" + i));
            }
            TemplateNodes.apply(store, new Batch(commands, EngineRig.AT));
        }
        return store;
    }

    private static Command create(String id) {
        return new VolumeCommand.CreateFromClass(VolumeKey.of("default", id), TEMPLATE, EngineRig.AT);
    }

    private static void limit(StateStore store, long volumes) {
        QUOTAS.forEach(key -> TemplateNodes.apply(
                store,
                new QuotaCommand.PutQuota(
                        new VolumeQuota(key, OptionalLong.of(volumes), OptionalLong.of(volumes << 30)),
                        0,
                        EngineRig.AT)));
    }

    private static double refused(StateStore store, int volumes) {
        limit(store, volumes);
        long start = TemplateNodes.cpu();
        for (int i = 0; i < CREATIONS; i++) {
            if (!(store.apply(create("refused-" + i)) instanceof Outcome.Rejected rejected)
                    || !(rejected.reason() instanceof Rejection.QuotaExceeded)) {
                throw new IllegalStateException("the quota permits " + i);
            }
        }
        return (TemplateNodes.cpu() - start) / (double) CREATIONS;
    }

    private static double made(StateStore store, int volumes, int round) {
        limit(store, volumes + (long) CREATIONS);
        long start = TemplateNodes.cpu();
        for (int i = 0; i < CREATIONS; i++) {
            TemplateNodes.apply(store, create("made-" + round + "-" + i));
        }
        double nanos = (TemplateNodes.cpu() - start) / (double) CREATIONS;
        for (int i = 0; i < CREATIONS; i++) {
            TemplateNodes.apply(
                    store,
                    new VolumeCommand.DeregisterVolume(
                            VolumeKey.of("default", "made-" + round + "-" + i), true, EngineRig.AT));
        }
        return nanos;
    }
}
