package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.LogOverloadedException;
import io.csi4j.core.spi.NoLeaderException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/** Failures as problem documents (RFC 9457): a kind that programs read, and the text that Java shows. */
public final class Failures {
    private static final System.Logger LOGGER = System.getLogger(Failures.class.getName());
    /** The kind of a failure that is this program's own. */
    private static final String INTERNAL = "internal";

    private Failures() {}

    /** Returns all kinds of failures. */
    public static List<ProblemKind> kinds() {
        return ProblemKind.ALL;
    }

    /**
     * Returns an object that a caller reads by its id.
     *
     * @param object fails with a {@link CsiRequestException} if nothing has the id
     * @param absent the answer in that case
     */
    static <T> CompletableFuture<Optional<T>> read(CompletableFuture<T> object, String absent) {
        return Futures.map(
                object,
                Optional::of,
                failure -> failure instanceof CsiRequestException
                        ? new FailureException(Failure.of("not-found", 404, absent))
                        : failure);
    }

    /** The form of the document. */
    public static final Shape<Failure> SHAPE = Shape.<Failure>of(
                    "Problem", "The reason why a request failed, as RFC 9457 has it.")
            .text(
                    "type",
                    "The kind of the failure: urn:csi4j:problem: and one of the kinds below.",
                    f -> "urn:csi4j:problem:" + f.kind())
            .text("title", "The kind in words.", f -> f.kind().replace('-', ' '))
            .number("status", "The status code of HTTP.", Failure::status)
            .text("detail", "The cause and the remedy, as in the exceptions of Java.", Failure::detail)
            .flag("retryable", "Whether the same request may succeed later, or at another server.", Failure::retryable)
            .text("leader", "The server that leads, if another one has to do this and it is known.", Failure::leader)
            .optional()
            .objects("problems", "All problems of the request, each with its field.", problem(), Failure::problems)
            .build();

    private static Shape<Problem> problem() {
        return Shape.<Problem>of("FieldProblem", "One problem of a request.")
                .text("field", "The field, spelled as in the request.", Problem::field)
                .text("problem", "The problem of its value.", Problem::problem)
                .text("remedy", "The change that solves the problem.", Problem::remedy)
                .build();
    }

    /**
     * A failure.
     *
     * @param kind a word of lower-case letters and hyphens
     */
    public record Failure(
            String kind,
            int status,
            String detail,
            boolean retryable,
            Optional<String> leader,
            List<Problem> problems) {
        public static Failure of(String kind, int status, String detail) {
            return new Failure(kind, status, detail, false, Optional.empty(), List.of());
        }

        /** Returns this failure with other names of the fields. */
        Failure withFields(UnaryOperator<String> names) {
            List<Problem> named = problems.stream()
                    .map(one -> new Problem(names.apply(one.field()), one.problem(), one.remedy()))
                    .toList();
            return new Failure(kind, status, detail, retryable, leader, named);
        }

        Failure withLeader(Optional<String> known) {
            return new Failure(kind, status, detail, retryable, known, problems);
        }
    }

    /** Returns the answer to a failed request. */
    public static HttpAnswer answer(Failure failure) {
        HttpAnswer answer = HttpAnswer.of(failure.status(), "application/problem+json", SHAPE.text(failure) + "\n");
        return failure.status() == 503 ? answer.with("retry-after", "1") : answer;
    }

    /** Returns a failure by its cause. */
    public static Failure of(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof FailureException known) {
            return known.failure();
        } else if (cause instanceof BadRequestException bad) {
            return problems("bad-request", 400, bad, bad.problems());
        } else if (cause instanceof CsiRequestException invalid) {
            return problems("invalid", 422, invalid, invalid.problems());
        } else if (cause instanceof RejectedException rejected) {
            return rejected(rejected);
        } else if (cause instanceof CancellationException) {
            return Failure.of("cancelled", 409, "the operation was cancelled");
        } else if (cause instanceof CsiException known) {
            return known(known);
        } else if (cause instanceof IllegalArgumentException bad) {
            return Failure.of("bad-request", 400, String.valueOf(bad.getMessage()));
        }
        LOGGER.log(System.Logger.Level.WARNING, "a request of the administration failed; please report this", cause);
        return Failure.of(INTERNAL, 500, "the request failed; the log of the server has the cause");
    }

    private static Failure rejected(RejectedException rejected) {
        Rejection reason = rejected.reason();
        boolean absent = reason.getClass().getSimpleName().endsWith("NotFound");
        if (reason instanceof Rejection.InvalidRequest invalid) {
            return problems("invalid", 422, rejected, invalid.problems());
        } else if (reason instanceof Rejection.ConflictingFields conflict) {
            return problems("conflict", 409, rejected, conflict.problems());
        } else if (reason instanceof Rejection.QuotaExceeded exceeded) {
            return problems("quota-exceeded", 409, rejected, problems(exceeded));
        }
        return Failure.of(absent ? "not-found" : "rejected", absent ? 404 : 409, text(rejected));
    }

    /** Returns a problem for each limit, with the field of requests that raises the use. */
    private static List<Problem> problems(Rejection.QuotaExceeded exceeded) {
        return exceeded.excesses().stream()
                .map(excess -> excess.unit() == Rejection.QuotaExceeded.Excess.Unit.VOLUMES
                        ? new Problem("volume", "is one too many: " + excess, "delete volumes, or raise the limit")
                        : new Problem(
                                "requiredBytes",
                                "is too much: " + excess,
                                "ask for less, delete volumes, or raise the limit"))
                .toList();
    }

    private static Failure known(CsiException cause) {
        if (cause instanceof AccessDeniedException) {
            return Failure.of("access-denied", 403, text(cause));
        } else if (cause instanceof NotLeadingException) {
            return plain("not-leading", 503, cause);
        } else if (cause instanceof NoLeaderException || cause instanceof LogOverloadedException) {
            return plain("unavailable", 503, cause);
        } else if (cause instanceof UncertainCommandException) {
            return plain("uncertain", 504, cause);
        } else if (cause instanceof UnfinishedException) {
            return plain("unfinished", 504, cause);
        } else if (cause instanceof RefusedException || cause instanceof ClaimLostException) {
            return plain("refused", 409, cause);
        } else if (cause instanceof VolumeRemovedException) {
            return plain("removed", 409, cause);
        } else if (cause instanceof CsiCallException) {
            return plain("plugin-call-failed", 502, cause);
        }
        return plain("failed", 500, cause);
    }

    private static Failure plain(String kind, int status, CsiException cause) {
        return new Failure(kind, status, text(cause), cause.retryable(), Optional.empty(), List.of());
    }

    private static Failure problems(String kind, int status, CsiException cause, List<Problem> problems) {
        return new Failure(kind, status, text(cause), false, Optional.empty(), problems);
    }

    private static String text(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }
}
