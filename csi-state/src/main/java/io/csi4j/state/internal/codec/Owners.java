package io.csi4j.state.internal.codec;

import static io.csi4j.values.internal.Values.key;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.command.v1.CommandProto.Command;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.time.Instant;
import java.util.Optional;

/** The workloads to which volumes belong, and the commands about them. */
public final class Owners implements OwnerCommand.Cases<Command.Builder> {
    Owners() {}

    public static StateProto.EndedOwner ended(EndedOwner owner) {
        return StateProto.EndedOwner.newBuilder()
                .setNamespace(owner.namespace().value())
                .setWorkload(workload(owner.workload()))
                .setEndedAt(Values.time(owner.endedAt()))
                .build();
    }

    public static EndedOwner ended(StateProto.EndedOwner row) {
        return new EndedOwner(
                Namespace.of(row.getNamespace()), workload(row.getWorkload()), Values.time(row.getEndedAt()));
    }

    static StateProto.Workload workload(WorkloadOwner owner) {
        return StateProto.Workload.newBuilder()
                .setName(owner.name().value())
                .setIncarnation(owner.incarnation())
                .build();
    }

    static WorkloadOwner workload(StateProto.Workload row) {
        return WorkloadOwner.of(row.getName(), row.getIncarnation());
    }

    static StateProto.WorkloadOwner owner(VolumeOwner.OfWorkload owner) {
        StateProto.WorkloadOwner.Builder row =
                StateProto.WorkloadOwner.newBuilder().setWorkload(workload(owner.workload()));
        owner.endedAt().map(Values::time).ifPresent(row::setEndedAt);
        return row.build();
    }

    static VolumeOwner owner(StateProto.WorkloadOwner row) {
        return new VolumeOwner.OfWorkload(
                workload(row.getWorkload()),
                row.hasEndedAt() ? Optional.of(Values.time(row.getEndedAt())) : Optional.empty());
    }

    @Override
    public Command.Builder endOwner(OwnerCommand.EndOwner command) {
        return Command.newBuilder()
                .setEndOwner(CommandProto.EndOwner.newBuilder()
                        .setNamespace(command.namespace().value())
                        .setWorkload(workload(command.workload())));
    }

    static OwnerCommand endOwner(CommandProto.EndOwner row, Instant at) {
        return new OwnerCommand.EndOwner(Namespace.of(row.getNamespace()), workload(row.getWorkload()), at);
    }

    @Override
    public Command.Builder setReclaim(OwnerCommand.SetReclaim command) {
        return Command.newBuilder()
                .setSetReclaim(CommandProto.SetReclaim.newBuilder()
                        .setKey(key(command.key()))
                        .setIfCreateIndex(command.ifCreateIndex())
                        .setReclaim(command.reclaim().name()));
    }

    static OwnerCommand setReclaim(CommandProto.SetReclaim row, Instant at) {
        return new OwnerCommand.SetReclaim(
                key(row.getKey()),
                row.getIfCreateIndex(),
                Parts.name(ReclaimPolicy.class, "reclaim", row.getReclaim()),
                at);
    }

    @Override
    public Command.Builder setOwner(OwnerCommand.SetOwner command) {
        CommandProto.SetOwner.Builder row =
                CommandProto.SetOwner.newBuilder().setKey(key(command.key())).setIfCreateIndex(command.ifCreateIndex());
        command.workload().map(Owners::workload).ifPresent(row::setWorkload);
        return Command.newBuilder().setSetOwner(row);
    }

    static OwnerCommand setOwner(CommandProto.SetOwner row, Instant at) {
        return new OwnerCommand.SetOwner(
                key(row.getKey()),
                row.getIfCreateIndex(),
                row.hasWorkload() ? Optional.of(workload(row.getWorkload())) : Optional.empty(),
                at);
    }
}
