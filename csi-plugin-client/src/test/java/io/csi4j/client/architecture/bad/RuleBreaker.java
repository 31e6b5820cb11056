package io.csi4j.client.architecture.bad;

import io.csi4j.client.architecture.Accomplice;
import io.grpc.Status;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;

/** Breaks every rule of the architecture, so that the test of the rules can be tested. */
public final class RuleBreaker extends Accomplice {
    public List<Status> statuses() {
        return List.of();
    }

    public int chance() {
        return new Random().nextInt();
    }

    public LongSupplier clock() {
        return System::nanoTime;
    }
}
