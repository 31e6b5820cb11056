package io.csi4j.testkit.internal.service;

import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.store.CorruptRecordException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;

/** Converts results and refusals to gRPC responses. */
final class Answer {
    private static final System.Logger LOG = System.getLogger(Answer.class.getName());

    private Answer() {}

    static <T> void with(StreamObserver<T> caller, Supplier<T> work) {
        T result;
        try {
            result = work.get();
        } catch (RuntimeException e) {
            caller.onError(error(e));
            return;
        }
        caller.onNext(result);
        caller.onCompleted();
    }

    static StatusRuntimeException error(RuntimeException failure) {
        CallRefusal refusal;
        if (failure instanceof CallRefusal already) {
            refusal = already;
        } else if (failure instanceof CorruptRecordException corrupt) {
            refusal = CallRefusal.dataLoss(String.valueOf(corrupt.getMessage()));
        } else {
            // The caller gets one line; the log has the stack trace.
            LOG.log(System.Logger.Level.ERROR, "A call failed for a reason of the plugin's own", failure);
            refusal = CallRefusal.internal("the fake plugin failed: " + failure + "; its log says more");
        }
        return Status.fromCode(refusal.code())
                .withDescription(refusal.getMessage())
                .asRuntimeException();
    }

    static void require(PluginConfig config, FakeCapability capability, String rpc) {
        if (!config.has(capability)) {
            throw CallRefusal.unimplemented(
                    rpc + " needs " + capability + ", which this plugin does not have; ask for its"
                            + " capabilities and leave the call out (R15, R42)");
        }
    }
}
