package io.csi4j.state.internal.codec;

import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.util.Optional;

/** Converts restores of the state, and the verifications of volumes after them. */
public final class Verifications {
    private Verifications() {}

    public static StateProto.StateRestore restore(StateRestore restore) {
        return StateProto.StateRestore.newBuilder()
                .setIndex(restore.index())
                .setReason(restore.reason())
                .setAt(Values.time(restore.at()))
                .build();
    }

    public static StateRestore restore(StateProto.StateRestore row) {
        return new StateRestore(row.getIndex(), row.getReason(), Values.time(row.getAt()));
    }

    static StateProto.Verification verification(Verification verification) {
        StateProto.Verification.Builder builder = StateProto.Verification.newBuilder()
                .setRestoredIndex(verification.restoredIndex())
                .setStage(verification.stage().name())
                .setNotFound(verification.notFound());
        if (!verification.retry().equals(Retry.none())) {
            builder.setRetry(Parts.retry(verification.retry()));
        }
        verification.decidedAt().map(Values::time).ifPresent(builder::setDecidedAt);
        return builder.build();
    }

    static Verification verification(StateProto.Verification row) {
        return new Verification(
                row.getRestoredIndex(),
                Parts.name(Verification.Stage.class, "stage", row.getStage()),
                row.getNotFound(),
                row.hasRetry() ? Parts.retry(row.getRetry()) : Retry.none(),
                row.hasDecidedAt() ? Optional.of(Values.time(row.getDecidedAt())) : Optional.empty());
    }
}
