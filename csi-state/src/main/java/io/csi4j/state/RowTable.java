package io.csi4j.state;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.csi4j.core.state.RowType;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.AccessTokens;
import io.csi4j.state.internal.codec.Owners;
import io.csi4j.state.internal.codec.PluginProfiles;
import io.csi4j.state.internal.codec.Quotas;
import io.csi4j.state.internal.codec.RefusedCreations;
import io.csi4j.state.internal.codec.Rows;
import io.csi4j.state.internal.codec.Verifications;
import io.csi4j.state.internal.tree.Cursor;
import io.csi4j.state.internal.tree.Shape;
import io.csi4j.state.internal.tree.Tree;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.function.ObjLongConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * All that the store knows of a type of rows: its records, the order of its keys, its messages, its indexes, and its counter in the trailer.
 *
 * @param <K> the key
 * @param <R> the row
 * @param <P> the message of a row
 */
final class RowTable<K, R, P extends Message> {
    private static final RowTable<?, ?, ?>[] ALL = new RowTable<?, ?, ?>[RowType.count()];

    static {
        add(new RowTable<>(
                RowType.FACTS,
                RecordKind.FACTS,
                Keys.FACTS,
                (rows, row) -> Rows.facts(row),
                StateProto.PluginFacts.parser(),
                Rows::facts,
                StateProto.Trailer.Builder::setFacts,
                StateProto.Trailer::getFacts,
                TableWriter::indexFacts));
        add(new RowTable<>(
                RowType.DEPLOYMENTS,
                RecordKind.DEPLOYMENT,
                Keys.DEPLOYMENTS,
                (rows, row) -> Rows.deployment(row),
                StateProto.PluginDeployment.parser(),
                Rows::deployment,
                StateProto.Trailer.Builder::setDeployments,
                StateProto.Trailer::getDeployments,
                TableWriter::indexDeployment));
        add(new RowTable<>(
                RowType.NODES,
                RecordKind.NODE,
                Keys.NODES,
                (rows, row) -> Rows.node(row),
                StateProto.Node.parser(),
                Rows::node,
                StateProto.Trailer.Builder::setNodes,
                StateProto.Trailer::getNodes,
                TableWriter::indexNode));
        add(new RowTable<>(
                RowType.ALLOCATIONS,
                RecordKind.ALLOCATION,
                Keys.ALLOCATIONS,
                (rows, row) -> Rows.allocation(row),
                StateProto.Allocation.parser(),
                Rows::allocation,
                StateProto.Trailer.Builder::setAllocations,
                StateProto.Trailer::getAllocations,
                TableWriter::indexAllocation));
        add(new RowTable<>(
                RowType.INSTANCES,
                RecordKind.INSTANCE,
                Keys.INSTANCES,
                (rows, row) -> Rows.instance(row),
                StateProto.PluginInstance.parser(),
                Rows::instance,
                StateProto.Trailer.Builder::setInstances,
                StateProto.Trailer::getInstances,
                TableWriter::indexInstance));
        add(new RowTable<>(
                RowType.LEFTOVERS,
                RecordKind.LEFTOVER,
                Keys.LEFTOVERS,
                (rows, row) -> Rows.leftover(row),
                StateProto.Leftover.parser(),
                Rows::leftover,
                StateProto.Trailer.Builder::setLeftovers,
                StateProto.Trailer::getLeftovers,
                RowTable::noIndex));
        add(new RowTable<>(
                RowType.WITHDRAWN_CREATIONS,
                RecordKind.WITHDRAWN_CREATION,
                Keys.WITHDRAWN_CREATIONS,
                (rows, row) -> Rows.withdrawnCreation(row),
                StateProto.WithdrawnCreation.parser(),
                Rows::withdrawnCreation,
                StateProto.Trailer.Builder::setWithdrawnCreations,
                StateProto.Trailer::getWithdrawnCreations,
                TableWriter::indexWithdrawnCreation));
        add(new RowTable<>(
                RowType.REQUESTED_CLAIMS,
                RecordKind.REQUESTED_CLAIMS,
                Keys.REQUESTED_CLAIMS,
                Rows::requestedClaims,
                StateProto.RequestedClaims.parser(),
                Rows::requestedClaims,
                StateProto.Trailer.Builder::setRequestedClaims,
                StateProto.Trailer::getRequestedClaims,
                TableWriter::indexRequestedClaims));
        add(new RowTable<>(
                RowType.ACCESS_TOKENS,
                RecordKind.ACCESS_TOKEN,
                Keys.ACCESS_TOKENS,
                (rows, row) -> AccessTokens.token(row),
                StateProto.AccessToken.parser(),
                (rows, row) -> AccessTokens.token(row),
                StateProto.Trailer.Builder::setAccessTokens,
                StateProto.Trailer::getAccessTokens,
                TableWriter::indexAccessToken));
        add(new RowTable<>(
                RowType.REFUSED_CREATIONS,
                RecordKind.REFUSED_CREATION,
                Keys.REFUSED_CREATIONS,
                (rows, row) -> RefusedCreations.creation(row),
                StateProto.RefusedCreation.parser(),
                (rows, row) -> RefusedCreations.creation(row),
                StateProto.Trailer.Builder::setRefusedCreations,
                StateProto.Trailer::getRefusedCreations,
                RowTable::noIndex));
        add(new RowTable<>(
                RowType.VOLUME_CLASSES,
                RecordKind.VOLUME_CLASS,
                Keys.VOLUME_CLASSES,
                Rows::volumeClass,
                StateProto.VolumeClass.parser(),
                Rows::volumeClass,
                StateProto.Trailer.Builder::setVolumeClasses,
                StateProto.Trailer::getVolumeClasses,
                TableWriter::indexVolumeClass));
        add(new RowTable<>(
                RowType.QUOTAS,
                RecordKind.QUOTA,
                Keys.QUOTAS,
                (rows, row) -> Quotas.quota(row),
                StateProto.Quota.parser(),
                (rows, row) -> Quotas.quota(row),
                StateProto.Trailer.Builder::setQuotas,
                StateProto.Trailer::getQuotas,
                TableWriter::indexQuota));
        add(new RowTable<>(
                RowType.ENDED_OWNERS,
                RecordKind.ENDED_OWNER,
                Keys.ENDED_OWNERS,
                (rows, row) -> Owners.ended(row),
                StateProto.EndedOwner.parser(),
                (rows, row) -> Owners.ended(row),
                StateProto.Trailer.Builder::setEndedOwners,
                StateProto.Trailer::getEndedOwners,
                RowTable::noIndex));
        add(new RowTable<>(
                RowType.RESTORES,
                RecordKind.RESTORE,
                Keys.RESTORES,
                (rows, row) -> Verifications.restore(row),
                StateProto.StateRestore.parser(),
                (rows, row) -> Verifications.restore(row),
                StateProto.Trailer.Builder::setRestores,
                StateProto.Trailer::getRestores,
                RowTable::noIndex));
        add(new RowTable<>(
                RowType.PLUGIN_PROFILES,
                RecordKind.PLUGIN_PROFILE,
                Keys.PLUGIN_PROFILES,
                (rows, row) -> PluginProfiles.profile(row),
                StateProto.PluginProfile.parser(),
                (rows, row) -> PluginProfiles.profile(row),
                StateProto.Trailer.Builder::setPluginProfiles,
                StateProto.Trailer::getPluginProfiles,
                TableWriter::indexPluginProfile));
        add(new RowTable<>(
                RowType.SNAPSHOTS,
                RecordKind.SNAPSHOT,
                Keys.SNAPSHOTS,
                Rows::snapshot,
                StateProto.VolumeSnapshot.parser(),
                Rows::snapshot,
                StateProto.Trailer.Builder::setSnapshots,
                StateProto.Trailer::getSnapshots,
                TableWriter::indexSnapshot));
    }

    final RecordKind record;
    private final RowType<K, R> type;
    private final Shape<K, R> shape;
    private final BiFunction<Rows, R, P> write;
    private final Parser<P> parser;
    private final BiFunction<Rows, P, R> read;
    private final ObjLongConsumer<StateProto.Trailer.Builder> setCount;
    private final ToLongFunction<StateProto.Trailer> count;
    private final Index<R> index;

    private RowTable(
            RowType<K, R> type,
            RecordKind record,
            Shape<K, R> shape,
            BiFunction<Rows, R, P> write,
            Parser<P> parser,
            BiFunction<Rows, P, R> read,
            ObjLongConsumer<StateProto.Trailer.Builder> setCount,
            ToLongFunction<StateProto.Trailer> count,
            Index<R> index) {
        this.type = type;
        this.record = record;
        this.shape = shape;
        this.write = write;
        this.parser = parser;
        this.read = read;
        this.setCount = setCount;
        this.count = count;
        this.index = index;
    }

    @SuppressWarnings("unchecked")
    static <K, R> RowTable<K, R, ?> of(RowType<K, R> type) {
        return (RowTable<K, R, ?>) ALL[type.ordinal()];
    }

    private static void add(RowTable<?, ?, ?> table) {
        ALL[table.type.ordinal()] = table;
    }

    /** Returns the table of a kind of records, which is not that of volumes. */
    static RowTable<?, ?, ?> of(RecordKind kind) {
        for (RowTable<?, ?, ?> table : ALL) {
            if (table.record == kind) {
                return table;
            }
        }
        throw new IllegalArgumentException("not a row");
    }

    static Iterable<RowTable<?, ?, ?>> all() {
        return Arrays.asList(ALL);
    }

    static Tree<?, ?>[] empty() {
        return Arrays.stream(ALL).map(table -> Tree.empty(table.shape)).toArray(Tree[]::new);
    }

    private static <R> void noIndex(TableWriter writer, @Nullable R before, @Nullable R after) {}

    void index(TableWriter writer, @Nullable R before, @Nullable R after) {
        index.update(writer, before, after);
    }

    void encode(Tables tables, Rows rows, RecordWriter out) throws IOException {
        Cursor<K, R> all = tables.rows(type).cursor();
        while (all.hasNext()) {
            out.write(record, write.apply(rows, all.next()));
        }
    }

    void decode(CodedInputStream message, Rows rows, TableWriter writer) throws InvalidProtocolBufferException {
        writer.put(type, read.apply(rows, parser.parseFrom(message)));
    }

    long size(Tables tables) {
        return tables.rows(type).size();
    }

    void setCount(StateProto.Trailer.Builder trailer, Tables tables) {
        setCount.accept(trailer, size(tables));
    }

    boolean isCounted(StateProto.Trailer trailer, Tables tables) {
        return count.applyAsLong(trailer) == size(tables);
    }

    /** Updates indexes and watches after a row was changed. */
    private interface Index<R> {
        void update(TableWriter writer, @Nullable R before, @Nullable R after);
    }
}
