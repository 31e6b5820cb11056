package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Operation.End;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An operation as a client sees it.
 *
 * @param state the state at the moment of the view
 * @param end the end; empty while the operation runs
 * @param progress the volume of the operation, if the client may read it
 * @param obstacle why a running operation cannot end now; empty if nothing is known
 */
record OperationView(
        Operation operation,
        Operation.State state,
        Optional<End> end,
        Optional<OperationView.Progress> progress,
        Optional<String> obstacle) {
    /**
     * How far the work on a volume is.
     *
     * @param retry the failed attempts at the step that fails
     */
    record Progress(VolumePhase phase, Retry retry, RemainingWork remaining) {}

    private static final Shape<Progress> PROGRESS = Shape.<Progress>of(
                    "OperationProgress", "The work that remains on the volume of an operation, also that of others.")
            .choice("phase", "The phase of the volume.", VolumePhase.class, Progress::phase)
            .number(
                    "attempts",
                    "The failed attempts at the present step.",
                    progress -> progress.retry().attempts())
            .text(
                    "lastError",
                    "The last failure of the present step.",
                    progress -> progress.retry().lastError())
            .optional()
            .time(
                    "nextRetry",
                    "The time of the next attempt, if one is planned.",
                    progress -> progress.retry().nextRetry())
            .optional()
            .texts(
                    "steps",
                    "The steps that the leader can take now.",
                    progress -> progress.remaining().steps().stream()
                            .map(OperationView::text)
                            .toList())
            .texts(
                    "waits",
                    "The reasons of the steps that wait.",
                    progress -> progress.remaining().waits().stream()
                            .map(OperationView::text)
                            .toList())
            .build();

    /** The operation without its result. */
    static final Shape<OperationView> SUMMARY =
            common("OperationSummary", "An operation in a list.").build();

    /** The whole operation. */
    static final Shape<OperationView> SHAPE = common("Operation", "An action that was started at this server.")
            .json(
                    "result",
                    "The result of an operation that is DONE, as the action would have answered.",
                    view -> view.end().flatMap(End::result))
            .optional()
            .maybe(
                    "problem",
                    "The reason why an operation has FAILED or was CANCELLED.",
                    Failures.SHAPE,
                    view -> view.end().flatMap(End::problem))
            .text(
                    "continues",
                    "The effects that a CANCELLED operation may still have.",
                    view -> view.state() == Operation.State.CANCELLED
                            ? Optional.of(view.operation().continues)
                            : Optional.empty())
            .optional()
            .text(
                    "obstacle",
                    "The reason why a running operation cannot end now; absent if none is known.",
                    OperationView::obstacle)
            .optional()
            .maybe(
                    "progress",
                    "How far the work on the volume of the operation is, if the caller may read the volume.",
                    PROGRESS,
                    OperationView::progress)
            .build();

    private static Shape.Builder<OperationView> common(String name, String description) {
        return Shape.<OperationView>of(name, description)
                .text("id", "The id, which only this server knows.", view -> view.operation().id)
                .column()
                .text("command", "The command of the shell.", view -> view.operation().command)
                .column()
                .text(
                        "object",
                        "The parts of the path that name the object, joined by slashes.",
                        view -> view.operation().object)
                .column()
                .text("caller", "The caller that started it.", view -> view.operation().caller)
                .column()
                .choice("state", "The state.", Operation.State.class, OperationView::state)
                .column()
                .flag("dryRun", "Whether it only shows the effect of a request.", view -> view.operation().dryRun)
                .column()
                .time("started", "The time of its start.", view -> view.operation().started)
                .column()
                .time("ended", "The time of its end.", view -> view.end().map(End::at))
                .optional();
    }

    /** Returns an operation without the progress of its volume. */
    static OperationView summary(Operation operation) {
        Optional<End> end = operation.end();
        return new OperationView(
                operation,
                end.map(End::state).orElse(Operation.State.RUNNING),
                end,
                Optional.empty(),
                Optional.empty());
    }

    /** Returns an operation with the progress of its volume, if the caller may read the volume. */
    static CompletableFuture<OperationView> of(Operation operation, Call call) {
        if (operation.volume.isEmpty()) {
            return CompletableFuture.completedFuture(with(summary(operation), Optional.empty(), call));
        }
        CompletableFuture<Optional<Progress>> progress = Futures.recovered(
                Futures.map(
                        call.operations().claims().status(operation.volume.get()),
                        status -> status.map(OperationView::progress)),
                // The operation is shown also to a caller that may not read its volume.
                denied -> Optional.of(Optional.empty()));
        return Futures.map(progress, found -> with(summary(operation), found, call));
    }

    private static OperationView with(OperationView view, Optional<Progress> progress, Call call) {
        Optional<String> obstacle =
                view.end().isPresent() ? Optional.empty() : call.server().obstacle();
        return new OperationView(view.operation(), view.state(), view.end(), progress, obstacle);
    }

    private static Progress progress(VolumeStatus status) {
        Volume volume = status.view().volume();
        return new Progress(volume.phase(), retry(volume), status.remaining());
    }

    /** Returns the attempts at the first step that fails; none if no step fails. */
    private static Retry retry(Volume volume) {
        List<Retry> steps = new ArrayList<>();
        steps.add(volume.retry());
        volume.expansion().ifPresent(expansion -> {
            steps.add(expansion.retry());
            expansion.nodes().values().forEach(node -> steps.add(node.retry()));
        });
        volume.modification().ifPresent(modification -> steps.add(modification.retry()));
        volume.verification().ifPresent(known -> steps.add(known.retry()));
        for (Claim claim : volume.claims()) {
            steps.add(claim.retry());
        }
        for (Attachment attachment : volume.attachments()) {
            steps.add(attachment.retry());
        }
        return steps.stream().filter(step -> step.attempts() > 0).findFirst().orElse(Retry.none());
    }

    private static String text(RemainingWork.Step step) {
        return step.kind() + step.nodeId().map(node -> " on node " + node).orElse("");
    }

    private static String text(RemainingWork.Wait wait) {
        return wait.reason() + wait.nodeId().map(node -> " on node " + node).orElse("");
    }
}
