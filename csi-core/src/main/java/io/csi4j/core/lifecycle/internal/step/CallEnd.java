package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.command.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of a call's end for the state, and for the callers that wait for it.
 *
 * @param facts the commands that record it, for one transaction; empty if nothing has to be recorded
 * @param followed whether the transaction also gets the steps that follow from the facts and need no call
 * @param failure the failure for the callers that wait for the call; null if it succeeded
 * @param refused whether the plugin has refused permanently, so that no other attempt follows
 * @param otherwise returns what the end means if the facts cannot be stored, from the reason; empty if it means
 *     nothing else, and the result stays unknown
 */
public record CallEnd(
        List<Command> facts,
        boolean followed,
        @Nullable Throwable failure,
        boolean refused,
        Function<Throwable, Optional<CallEnd>> otherwise) {
    private static CallEnd of(List<Command> facts, boolean followed, @Nullable Throwable failure, boolean refused) {
        return new CallEnd(List.copyOf(facts), followed, failure, refused, reason -> Optional.empty());
    }

    /** Returns the end of a call that changes nothing: the intent of the call is gone. */
    public static CallEnd nothing() {
        return of(List.of(), false, null, false);
    }

    /** Returns the end of a call that was done. */
    public static CallEnd done(Command fact) {
        return of(List.of(fact), false, null, false);
    }

    /** Returns the end of a call that was done, and after which other steps may need no call. */
    public static CallEnd doneAndFollowed(List<Command> facts) {
        return of(facts, true, null, false);
    }

    /** Returns the end of a call that failed, and is repeated later unless the command says otherwise. */
    public static CallEnd failed(Command fact, Throwable failure) {
        return of(List.of(fact), false, failure, false);
    }

    /** Returns the end of a call that failed, with nothing to record. */
    public static CallEnd failed(Throwable failure) {
        return of(List.of(), false, failure, false);
    }

    /** Returns the end of a call that the plugin has refused permanently. */
    public static CallEnd refused(List<Command> facts, Throwable failure) {
        return of(facts, false, failure, true);
    }

    /** Returns the same end with another command to record. */
    public CallEnd and(Command fact) {
        List<Command> all = new ArrayList<>(facts);
        all.add(fact);
        return new CallEnd(List.copyOf(all), followed, failure, refused, otherwise);
    }

    /** Returns the same end, which means something else if its facts cannot be stored. */
    public CallEnd otherwise(Function<Throwable, Optional<CallEnd>> reaction) {
        return new CallEnd(facts, followed, failure, refused, reaction);
    }
}
