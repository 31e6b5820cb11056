package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import java.util.concurrent.CompletableFuture;

/** A log whose unanswered commands fail with an unknown outcome after a time limit. */
public final class LimitedLog implements CommandLog {
    private final CommandLog log;
    private final AnswerTimeout limit;

    public LimitedLog(CommandLog log, AnswerTimeout limit) {
        this.log = log;
        this.limit = limit;
    }

    @Override
    public ObservableState state() {
        return log.state();
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        return limit.within(log.submit(command), timeout -> new CsiException("nothing came within " + timeout));
    }
}
