package io.csi4j.testkit.internal.call;

import com.google.protobuf.Message;
import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.CallResult;
import io.csi4j.testkit.history.CallTime;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call while it is recorded. The recorder guards all fields by its lock. */
final class RecordedCall {
    final long number;
    final RequestInspector fields;
    final Message request;
    final Optional<String> volume;
    final Optional<String> node;
    final Instant start;
    final long startOrder;

    @Nullable Instant end;

    long endOrder = Long.MAX_VALUE;

    @Nullable CallResult result;

    @Nullable FaultRule fault;
    /** The id of the volume in the answer to CreateVolume; null if there is no such answer. */
    @Nullable String created;
    /** Whether the request is the first one with its name. */
    boolean bindsName;

    RecordedCall(
            long number,
            RequestInspector fields,
            Message request,
            Optional<String> node,
            Instant start,
            long startOrder) {
        this.number = number;
        this.fields = fields;
        this.request = request;
        this.volume = fields.volume(request);
        this.node = node;
        this.start = start;
        this.startOrder = startOrder;
    }

    Rpc rpc() {
        return fields.rpc();
    }

    CallRecord toRecord() {
        return new CallRecord(
                number,
                rpc(),
                created == null ? volume : Optional.of(created),
                node,
                VisibleArguments.of(request),
                fields.volumeContext(request),
                fields.hasSecrets(request),
                new CallTime(start, Optional.ofNullable(end), startOrder, endOrder),
                Optional.ofNullable(result),
                Optional.ofNullable(fault).map(FaultRule::toString));
    }
}
