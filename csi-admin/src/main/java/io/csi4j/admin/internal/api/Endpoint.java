package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.state.StateScope;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One thing that a client can ask for: its address, its parameters, its answer, and the code that makes it. The router, the
 * description in OpenAPI, the shell and its manual all follow from it.
 *
 * @param command the words of the shell's command, for example {@code volume list}
 * @param method the method of HTTP
 * @param path the path, with the names of its parameters in braces
 * @param summary the purpose in a few words, without a full stop
 * @param description sentences about the effect, or none
 * @param parameters the parameters, in the order of the shell's arguments
 * @param permission the permission that the caller needs, for people
 * @param destroys whether the action removes data or protection, so that the shell asks before it
 * @param scope the parts of the state that a blocking query waits for, so far as they follow from the request; null if the
 *     endpoint does not wait
 * @param atLeader the part of the answer that only the leader knows; null if each server knows all
 * @param everywhere whether a person asks all servers, because each answers for itself
 * @param result the kind of answer, with the code that makes it
 */
public record Endpoint(
        String command,
        String method,
        String path,
        String summary,
        String description,
        List<Parameter> parameters,
        String permission,
        boolean destroys,
        @Nullable Function<Call, List<StateScope>> scope,
        @Nullable AtLeader atLeader,
        boolean everywhere,
        Result result) {
    /**
     * The part of an answer that only the leader knows. Another server leaves it out, and says so in a header.
     *
     * @param what the part, for people, as the subject of a sentence in the plural
     * @param fields the optional fields that are left out
     * @param lacks whether an answer lacks the part at a server that does not lead
     */
    public record AtLeader(String what, Set<String> fields, Predicate<Object> lacks) {}

    /** The kind of an answer. */
    public sealed interface Result {
        /** The shape of the answer, or of each item of a list; null if there is none. */
        @Nullable Shape<?> shape();
    }

    /**
     * One object, or 404.
     *
     * @param parts further parts of the state that the object shows, for blocking queries
     */
    public record One<T>(
            Shape<T> shape, Function<Call, CompletableFuture<Optional<T>>> read, Function<T, List<StateScope>> parts)
            implements Result {}

    /**
     * A list in pages.
     *
     * @param note a sentence for people about what the list does not have; empty if there is none
     */
    public record Pages<T>(Shape<T> shape, PageReader<T> read, Function<Call, Optional<String>> note)
            implements Result {}

    /**
     * An action: an operation that can be watched and cancelled.
     *
     * @param continues sentences about what still happens after a cancellation, for people
     */
    public record Action<T extends @Nullable Object>(
            @Nullable Shape<T> shape, Function<Call, CompletableFuture<T>> start, String continues) implements Result {}

    /** A stream of events, each an object. */
    public record Events<T>(Shape<T> shape, Function<Call, CompletableFuture<EventSource<T>>> open) implements Result {}

    /** Reads a page. */
    @FunctionalInterface
    public interface PageReader<T> {
        /**
         * Reads a page.
         *
         * @param after where the page begins: the {@link Page#next} of the page before
         * @param limit the largest number of items
         */
        CompletableFuture<Page<T>> read(Call call, Optional<String> after, int limit);
    }

    /** Events one after the other. */
    public interface EventSource<T> {
        /** Returns the next event; empty at the end. */
        CompletableFuture<Optional<T>> next();

        /** Ends the source. */
        void cancel();
    }

    /** Begins an endpoint that reads. */
    public static Builder get(String command, String path, String summary) {
        return new Builder(command, "GET", path, summary);
    }

    /** Begins an endpoint that acts. */
    public static Builder post(String command, String path, String summary) {
        return new Builder(command, "POST", path, summary);
    }

    /** Begins an endpoint that sets something. */
    public static Builder put(String command, String path, String summary) {
        return new Builder(command, "PUT", path, summary);
    }

    /** Begins an endpoint that deletes. */
    public static Builder delete(String command, String path, String summary) {
        return new Builder(command, "DELETE", path, summary);
    }

    /** Builds endpoints. Not thread-safe. */
    public static final class Builder {
        private final String command;
        private final String method;
        private final String path;
        private final String summary;
        private String description = "";
        private List<Parameter> parameters = List.of();
        private String permission = "";
        private boolean destroys;
        private Function<Call, Optional<String>> note = call -> Optional.empty();
        private String continues =
                "If the request was stored before the cancellation, it has its effect; otherwise nothing was done.";
        private @Nullable Function<Call, List<StateScope>> scope;
        private @Nullable AtLeader atLeader;
        private boolean everywhere;

        private Builder(String command, String method, String path, String summary) {
            this.command = command;
            this.method = method;
            this.path = path;
            this.summary = summary;
        }

        /** Sets sentences about the effect. */
        public Builder description(String text) {
            this.description = text;
            return this;
        }

        /** Sets the parameters. */
        public Builder with(Parameter... all) {
            this.parameters = Arrays.asList(all);
            return this;
        }

        /** Sets the permission that the caller needs, for people. */
        public Builder needs(String text) {
            this.permission = text;
            return this;
        }

        /** Lets the shell ask before the action. */
        public Builder destroys() {
            this.destroys = true;
            return this;
        }

        /** Sets sentences about what still happens after the operation was cancelled. */
        public Builder continues(String text) {
            this.continues = text;
            return this;
        }

        /** Lets a request with an index wait until a part of the state has changed. */
        public Builder waitsFor(Function<Call, StateScope> part) {
            return waitsForAny(call -> List.of(part.apply(call)));
        }

        /** Lets a request with an index wait until one of several parts of the state has changed. */
        public Builder waitsForAny(Function<Call, List<StateScope>> parts) {
            this.scope = parts;
            return this;
        }

        /**
         * Leaves a part out of the answer of a server that does not lead.
         *
         * @param what the part, for people, as the subject of a sentence in the plural
         * @param fields the optional fields of the answer, or of each item of a list
         */
        public Builder atLeader(String what, String... fields) {
            this.atLeader = new AtLeader(what, Set.of(fields), answer -> true);
            return this;
        }

        /** Says that an answer of a server that does not lead may lack something. */
        public Builder atLeader(String what, Predicate<Object> lacks) {
            this.atLeader = new AtLeader(what, Set.of(), lacks);
            return this;
        }

        /** Lets the shell ask all servers. */
        public Builder everywhere() {
            this.everywhere = true;
            return this;
        }

        /** Says in a header what a list does not have: a sentence for people, which the shell shows. */
        public Builder note(Function<Call, Optional<String>> sentence) {
            this.note = sentence;
            return this;
        }

        /** Answers with one object. */
        public <T> Endpoint one(Shape<T> shape, Function<Call, CompletableFuture<Optional<T>>> read) {
            return one(shape, read, found -> List.of());
        }

        /**
         * Answers with one object.
         *
         * @param parts the further parts of the state that the object shows, for a request that {@linkplain #waitsFor
         *     waits}
         */
        public <T> Endpoint one(
                Shape<T> shape,
                Function<Call, CompletableFuture<Optional<T>>> read,
                Function<T, List<StateScope>> parts) {
            return build(new One<>(shape, read, parts));
        }

        /** Answers with a list. */
        public <T> Endpoint pages(Shape<T> shape, PageReader<T> read) {
            return build(new Pages<>(shape, read, note));
        }

        /** Starts an operation. */
        public <T> Endpoint action(Shape<T> shape, Function<Call, CompletableFuture<T>> start) {
            return build(new Action<>(shape, start, continues));
        }

        /** Starts an operation without a result. */
        public Endpoint action(Function<Call, CompletableFuture<Void>> start) {
            return build(new Action<Void>(null, start, continues));
        }

        /** Answers with events. */
        public <T> Endpoint events(Shape<T> shape, Function<Call, CompletableFuture<EventSource<T>>> open) {
            return build(new Events<>(shape, open));
        }

        private String described() {
            return atLeader == null
                    ? description
                    : (description + " Only the leader knows " + atLeader.what()
                                    + ": another server leaves them out, and names the leader in the header Csi-Incomplete.")
                            .strip();
        }

        private Endpoint build(Result result) {
            return new Endpoint(
                    command,
                    method,
                    path,
                    summary,
                    described(),
                    List.copyOf(parameters),
                    permission,
                    destroys,
                    scope,
                    atLeader,
                    everywhere,
                    result);
        }
    }
}
