package io.csi4j.state.internal.codec;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.util.Optional;

/** Converts the reasons of refused creations. */
public final class RefusedCreations {
    private RefusedCreations() {}

    public static StateProto.RefusedCreation creation(RefusedCreation creation) {
        return StateProto.RefusedCreation.newBuilder()
                .setCreateIndex(creation.createIndex())
                .setVolume(Values.key(creation.volume()))
                .setReason(reason(creation.reason()))
                .setAt(Values.time(creation.at()))
                .build();
    }

    public static RefusedCreation creation(StateProto.RefusedCreation row) {
        return new RefusedCreation(
                row.getCreateIndex(), Values.key(row.getVolume()), reason(row.getReason()), Values.time(row.getAt()));
    }

    static StateProto.Refusal reason(RefusedCreation.Reason reason) {
        StateProto.Refusal.Builder builder = StateProto.Refusal.newBuilder().setError(reason.error());
        reason.code().map(StatusCode::name).ifPresent(builder::setCode);
        return builder.build();
    }

    static RefusedCreation.Reason reason(StateProto.Refusal row) {
        return new RefusedCreation.Reason(
                row.hasCode() ? Optional.of(Parts.name(StatusCode.class, "code", row.getCode())) : Optional.empty(),
                row.getError());
    }
}
