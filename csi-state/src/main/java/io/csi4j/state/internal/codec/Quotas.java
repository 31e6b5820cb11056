package io.csi4j.state.internal.codec;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Rejection.QuotaExceeded.Excess;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Quotas, and the commands about them. */
public final class Quotas implements QuotaCommand.Cases<Command.Builder> {
    Quotas() {}

    public static StateProto.Quota quota(VolumeQuota quota) {
        return StateProto.Quota.newBuilder()
                .setValues(values(quota))
                .setCreateIndex(quota.createIndex())
                .setModifyIndex(quota.modifyIndex())
                .build();
    }

    private static StateProto.QuotaValues values(VolumeQuota quota) {
        StateProto.QuotaValues.Builder row = StateProto.QuotaValues.newBuilder().setKey(key(quota.key()));
        quota.volumes().ifPresent(row::setVolumes);
        quota.bytes().ifPresent(row::setBytes);
        return row.build();
    }

    /** Reads a row. Throws an {@link IllegalArgumentException} if it has limits that no command stores. */
    public static VolumeQuota quota(StateProto.Quota row) {
        VolumeQuota quota = values(row.getValues()).stored(row.getCreateIndex(), row.getModifyIndex());
        List<Problem> problems = quota.problems();
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException("the " + quota.key() + " is invalid: " + problems);
        }
        return quota;
    }

    private static VolumeQuota values(StateProto.QuotaValues row) {
        return new VolumeQuota(
                key(row.getKey()),
                row.hasVolumes() ? OptionalLong.of(row.getVolumes()) : OptionalLong.empty(),
                row.hasBytes() ? OptionalLong.of(row.getBytes()) : OptionalLong.empty());
    }

    static StateProto.QuotaKey key(QuotaKey key) {
        StateProto.QuotaKey.Builder row =
                StateProto.QuotaKey.newBuilder().setNamespace(key.namespace().value());
        key.className().map(VolumeClassName::value).ifPresent(row::setClassName);
        return row.build();
    }

    static QuotaKey key(StateProto.QuotaKey row) {
        return new QuotaKey(
                Namespace.of(row.getNamespace()),
                row.hasClassName() ? Optional.of(VolumeClassName.of(row.getClassName())) : Optional.empty());
    }

    static CommandProto.QuotaExcess excess(Excess excess) {
        return CommandProto.QuotaExcess.newBuilder()
                .setQuota(key(excess.quota()))
                .setUnit(excess.unit().name())
                .setLimit(excess.limit())
                .setUsed(excess.used())
                .setAsked(excess.asked())
                .build();
    }

    static Excess excess(CommandProto.QuotaExcess row) {
        return new Excess(
                key(row.getQuota()),
                Parts.name(Excess.Unit.class, "unit", row.getUnit()),
                row.getLimit(),
                row.getUsed(),
                row.getAsked());
    }

    @Override
    public Command.Builder putQuota(QuotaCommand.PutQuota command) {
        return Command.newBuilder()
                .setPutQuota(CommandProto.PutQuota.newBuilder()
                        .setQuota(values(command.quota()))
                        .setIfModifyIndex(command.ifModifyIndex()));
    }

    static QuotaCommand putQuota(CommandProto.PutQuota row, Instant at) {
        return new QuotaCommand.PutQuota(values(row.getQuota()), row.getIfModifyIndex(), at);
    }

    @Override
    public Command.Builder removeQuota(QuotaCommand.RemoveQuota command) {
        return Command.newBuilder()
                .setRemoveQuota(CommandProto.RemoveQuota.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex()));
    }

    static QuotaCommand removeQuota(CommandProto.RemoveQuota row, Instant at) {
        return new QuotaCommand.RemoveQuota(key(row.getKey()), row.getIfCreateIndex(), at);
    }
}
