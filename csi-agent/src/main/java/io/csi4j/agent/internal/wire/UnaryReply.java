package io.csi4j.agent.internal.wire;

import io.csi4j.core.internal.concurrent.Futures;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Responds to a call when its work has ended; cancels the work when the caller cancels the call. */
public final class UnaryReply {
    private UnaryReply() {}

    /**
     * Starts the work, and responds when it has ended.
     *
     * @param failed converts a failure of the work to a response
     */
    public static <A> void with(
            StreamObserver<A> out, Supplier<CompletableFuture<A>> work, Function<? super Throwable, A> failed) {
        CompletableFuture<A> under = Futures.start(work);
        if (out instanceof ServerCallStreamObserver<A> call) {
            call.setOnCancelHandler(() -> under.cancel(false));
        }
        var unused = under.whenComplete((answer, failure) -> {
            if (!(out instanceof ServerCallStreamObserver<A> call && call.isCancelled())) {
                out.onNext(failure == null ? answer : failed.apply(failure));
                out.onCompleted();
            }
        });
    }
}
