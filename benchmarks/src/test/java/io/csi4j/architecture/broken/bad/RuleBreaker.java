package io.csi4j.architecture.broken.bad;

import io.csi4j.architecture.broken.CyclePartner;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.PluginCalls;
import io.grpc.Status;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** Violates every rule of the architecture, so that the test can check that the rules fail. */
public final class RuleBreaker extends CyclePartner {
    public List<Status> statuses() {
        return List.of();
    }

    public int random() {
        return new Random().nextInt();
    }

    public void sleep() throws InterruptedException {
        Thread.sleep(1);
    }

    public Class<?> internal() {
        return LifecycleEngine.class;
    }

    public CompletableFuture<?> callPlugin(PluginCalls calls, CallSubject subject) {
        return calls.controller(subject, service -> new CompletableFuture<>());
    }

    public LongSupplier clock() {
        return System::nanoTime;
    }
}
