package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.capacity.CapacityPlace;
import io.csi4j.core.internal.capacity.CapacityUse;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.lifecycle.NoControllerException;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.claim.CapacityEvents;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks plugins for the free capacity of each class in each topology of nodes (R75), while the engine leads. The answers stay
 * in memory: a new leader knows nothing until it has asked. Thread-safe.
 *
 * <p>The topologies are read from the state in each pass. Of a class with many topologies, for example one for each node,
 * only those are asked for in which a placement was interested a short time ago. One question at a time goes to a plugin,
 * the next one not before {@code capacityCallSpacing} has passed.
 */
public final class CapacityQueries implements CapacityEvents {
    /** The most topologies of a class that are all asked for. */
    static final int FEW = 64;

    /** The most topologies of all classes in which interest is remembered. */
    static final int MOST = 10_000;

    /** The shortest time between two questions about one class in one topology. */
    static final Duration FLOOR = Duration.ofSeconds(5);

    private static final System.Logger LOG = System.getLogger(CapacityQueries.class.getName());
    private static final int PASSES_IN_INTERVAL = 4;
    private static final int INTERESTED_INTERVALS = 5;
    private static final Duration SHORTEST_PASS = Duration.ofSeconds(1);
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final Operations operations;
    private final CauseLog causes;

    // All fields below are guarded by this object's monitor.
    private final Map<CapacityPlace, KnownCapacity> known = new HashMap<>();
    /** The elapsed time at which a placement read a topology last. */
    private final Map<CapacityPlace, Long> interest = new HashMap<>();

    private final Map<PluginId, Questions> plugins = new HashMap<>();
    private @Nullable BooleanSupplier mayCall;
    /** The number of starts, by which a start sees that a stop and another start have come in between. */
    private long starts;

    private @Nullable Subscription classes;
    private @Nullable Cancellable nextPass;
    private @Nullable Long lastPass;
    private boolean passSoon;

    public CapacityQueries(Operations operations) {
        this.operations = operations;
        this.causes = new CauseLog(LOG, operations.ports().clock());
    }

    /** The questions to one plugin, of which one is in flight at a time. */
    private static final class Questions {
        boolean busy;

        @Nullable Long lastBegin;

        @Nullable Cancellable timer;
    }

    /**
     * Starts to ask; has no effect if it was started.
     *
     * @param leads returns whether the engine may still send calls
     */
    public void start(BooleanSupplier leads) {
        long start;
        synchronized (this) {
            if (mayCall != null || interval().isZero()) {
                return;
            }
            mayCall = leads;
            start = ++starts;
        }
        ObservableState observed = ports().log().state();
        Subscription changes = observed.subscribe(
                StateScope.of(StateScope.Table.VOLUME_CLASSES),
                observed.snapshot().index(),
                newer -> classesChanged());
        synchronized (this) {
            if (mayCall == null || starts != start) {
                changes.close();
                return;
            }
            classes = changes;
        }
        ports().executor().execute(this::pass);
    }

    private synchronized void classesChanged() {
        if (mayCall != null) {
            passSoon(ports().nanoTime());
        }
    }

    /** Stops to ask, and forgets all answers. The answer to a question in flight is ignored. */
    public synchronized void stop() {
        mayCall = null;
        if (classes != null) {
            classes.close();
            classes = null;
        }
        if (nextPass != null) {
            nextPass.cancel();
            nextPass = null;
        }
        plugins.values().forEach(CapacityQueries::cancelTimer);
        plugins.clear();
        known.clear();
        interest.clear();
        lastPass = null;
        passSoon = false;
        causes.overAll();
    }

    private static void cancelTimer(Questions questions) {
        if (questions.timer != null) {
            questions.timer.cancel();
            questions.timer = null;
        }
    }

    private EnginePorts ports() {
        return operations.ports();
    }

    private Duration interval() {
        return ports().options().capacityInterval();
    }

    private Duration floor() {
        return interval().compareTo(FLOOR) < 0 ? interval() : FLOOR;
    }

    @Override
    public synchronized Optional<PlaceCapacity> at(VolumeClass row, Optional<Topology> topology) {
        if (mayCall == null) {
            return Optional.empty();
        }
        long now = ports().nanoTime();
        CapacityPlace place = new CapacityPlace(row.name(), topology);
        KnownCapacity there = known.get(place);
        if (interest.containsKey(place)) {
            interest.put(place, now);
        } else if (interest.size() < MOST) {
            interest.put(place, now);
            if (there == null) {
                passSoon(now);
            }
        }
        if (there == null) {
            return Optional.empty();
        }
        return there.isFor(row) ? Optional.of(there.view(now, interval())) : Optional.empty();
    }

    @Override
    public synchronized void refused(VolumeClass row, Optional<Topology> topology) {
        KnownCapacity there = known.get(new CapacityPlace(row.name(), topology));
        if (there != null) {
            there.change();
            wake(there.plugin);
        }
    }

    /** Returns what is known about a class, in the order of the topologies. */
    public synchronized List<PlaceCapacity> of(VolumeClass row) {
        long now = ports().nanoTime();
        Map<String, PlaceCapacity> found = new TreeMap<>();
        known.forEach((place, there) -> {
            if (place.className().equals(row.name()) && there.isFor(row)) {
                found.put(text(place.topology()), there.view(now, interval()));
            }
        });
        return List.copyOf(found.values());
    }

    /** Returns a text by which the topologies of a class are ordered. */
    public static String text(Optional<Topology> topology) {
        return topology.map(known -> new TreeMap<>(known.segments()).toString()).orElse("");
    }

    @Override
    public void callEnded(Rpc rpc, Volume volume, @Nullable Throwable failure) {
        boolean changes = rpc == Rpc.CREATE_VOLUME || rpc == Rpc.DELETE_VOLUME || rpc == Rpc.CONTROLLER_EXPAND_VOLUME;
        if (!changes || volume.classOrigin().isEmpty()) {
            return;
        }
        if (failure != null) {
            // An unknown outcome says nothing: the creation stays in flight.
            if (rpc == Rpc.CREATE_VOLUME && isNoRoom(failure)) {
                refused(volume);
            }
            return;
        }
        VolumeClassName className = volume.classOrigin().orElseThrow().name();
        List<Topology> places = places(volume);
        Optional<CapacityPlace> begun = CapacityPlace.of(volume);
        synchronized (this) {
            Set<PluginId> changed = new HashSet<>();
            known.forEach((place, there) -> {
                boolean here = place.className().equals(className)
                        && (places.isEmpty()
                                || place.topology().isEmpty()
                                || place.topology().get().containsAny(places));
                if (here) {
                    changed.add(there.plugin);
                    if (rpc == Rpc.DELETE_VOLUME) {
                        there.freed();
                    } else if (rpc == Rpc.CREATE_VOLUME
                            && begun.filter(place::equals).isPresent()) {
                        there.made(CapacityUse.bytes(volume));
                    } else {
                        there.change();
                    }
                }
            });
            changed.forEach(this::wake);
        }
    }

    private static boolean isNoRoom(Throwable failure) {
        return Failures.code(failure) == StatusCode.RESOURCE_EXHAUSTED
                && Failures.outcome(failure) != CallOutcome.OUTCOME_UNKNOWN;
    }

    /** Returns where a volume is, or where it was to be made; empty if that is not known. */
    private static List<Topology> places(Volume volume) {
        return volume.externalVolumeId().isPresent()
                ? volume.facts().accessibleTopology()
                : CapacityPlace.of(volume)
                        .flatMap(CapacityPlace::topology)
                        .map(List::of)
                        .orElse(List.of());
    }

    private void refused(Volume volume) {
        StateReader state = operations.state();
        Optional<VolumeClass> row = CapacityPlace.of(volume)
                .flatMap(place -> state.volumeClass(place.className()))
                .filter(VolumeClass::checksCapacity);
        if (row.isEmpty()) {
            return;
        }
        CapacityPlace place = CapacityPlace.of(volume).orElseThrow();
        synchronized (this) {
            if (mayCall == null) {
                return;
            }
            long now = ports().nanoTime();
            interest.put(place, now);
            KnownCapacity there = known.computeIfAbsent(place, none -> new KnownCapacity(place, row.get()));
            there.refused(CapacityUse.bytes(volume), now);
            wake(there.plugin);
        }
    }

    private void passSoon(long now) {
        Long last = lastPass;
        if (!passSoon && last != null) {
            passSoon = true;
            schedulePass(SHORTEST_PASS.minusNanos(now - last));
        }
    }

    private void schedulePass(Duration pause) {
        if (nextPass != null) {
            nextPass.cancel();
        }
        nextPass = later(pause, this::pass);
    }

    /** Runs a task in the executor, never before this method returns. */
    private Cancellable later(Duration pause, Runnable task) {
        Duration longer = pause.compareTo(AT_ONCE) < 0 ? AT_ONCE : pause;
        return ports().timer().schedule(longer, () -> ports().executor().execute(task));
    }

    /** Reads the classes and topologies of the state, and asks for the capacity where that is due. */
    private void pass() {
        List<Wanted> wanted;
        try {
            wanted = wanted(operations.state());
        } catch (RuntimeException | Error e) {
            FailureLog.warn("The classes whose capacity is asked for could not be read; they are read again later", e);
            wanted = null;
        }
        synchronized (this) {
            if (mayCall == null) {
                return;
            }
            long now = ports().nanoTime();
            lastPass = now;
            passSoon = false;
            schedulePass(interval().dividedBy(PASSES_IN_INTERVAL));
            if (wanted != null) {
                keep(wanted, now);
                Set<PluginId> asked = new LinkedHashSet<>();
                known.values().forEach(there -> asked.add(there.plugin));
                asked.forEach(this::wake);
            }
        }
    }

    /** A class whose plugin answers, with the topologies of its nodes. */
    private record Wanted(VolumeClass row, boolean asked, Set<Optional<Topology>> topologies) {}

    private static List<Wanted> wanted(StateReader state) {
        List<Wanted> wanted = new ArrayList<>();
        for (VolumeClass row : state.volumeClasses()) {
            if (row.checksCapacity()) {
                PluginOffer offer = PluginOffer.of(state, row.pluginId());
                wanted.add(
                        new Wanted(row, offer.has(ControllerCapability.GET_CAPACITY), topologies(state, row, offer)));
            }
        }
        return wanted;
    }

    private static Set<Optional<Topology>> topologies(StateReader state, VolumeClass row, PluginOffer offer) {
        Set<Optional<Topology>> topologies = new LinkedHashSet<>();
        if (!offer.has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
            topologies.add(Optional.empty());
            return topologies;
        }
        for (PluginInstance instance : state.instancesOf(row.pluginId())) {
            instance.nodeInfo()
                    .flatMap(NodeInfo::accessibleTopology)
                    .filter(there -> row.allowedTopologies().isEmpty() || there.containsAny(row.allowedTopologies()))
                    .ifPresent(there -> topologies.add(Optional.of(there)));
        }
        return topologies;
    }

    /** Keeps what is known about the wanted places, and drops the rest. */
    private void keep(List<Wanted> wanted, long now) {
        long old = interval().multipliedBy(INTERESTED_INTERVALS).toNanos();
        interest.values().removeIf(at -> now - at >= old);
        Map<CapacityPlace, KnownCapacity> before = new HashMap<>(known);
        known.clear();
        for (Wanted each : wanted) {
            boolean few = each.topologies().size() <= FEW;
            for (Optional<Topology> topology : each.topologies()) {
                CapacityPlace place = new CapacityPlace(each.row().name(), topology);
                KnownCapacity last = before.get(place);
                KnownCapacity there =
                        last != null && last.isFor(each.row()) ? last : new KnownCapacity(place, each.row());
                if (interest.containsKey(place) || there.isRefused(now) || (few && each.asked())) {
                    known.put(place, there);
                }
            }
        }
        Set<PluginId> asked = new HashSet<>();
        wanted.stream()
                .filter(Wanted::asked)
                .forEach(each -> asked.add(each.row().pluginId()));
        plugins.entrySet().removeIf(entry -> {
            boolean gone = !asked.contains(entry.getKey());
            if (gone) {
                cancelTimer(entry.getValue());
            }
            return gone;
        });
        asked.forEach(plugin -> plugins.computeIfAbsent(plugin, none -> new Questions()));
    }

    /** Plans the next question of a plugin, for when it is due. */
    private void wake(PluginId plugin) {
        Questions questions = plugins.get(plugin);
        if (questions == null || questions.busy || mayCall == null) {
            return;
        }
        cancelTimer(questions);
        long now = ports().nanoTime();
        KnownCapacity next = next(plugin, now);
        if (next != null) {
            questions.timer = later(pause(questions, next, now), () -> askNext(plugin));
        }
    }

    private Duration pause(Questions questions, KnownCapacity next, long now) {
        Duration due = next.due(now, interval(), floor());
        Long last = questions.lastBegin;
        Duration spacing = last == null
                ? Duration.ZERO
                : ports().options().capacityCallSpacing().minusNanos(now - last);
        return spacing.compareTo(due) > 0 ? spacing : due;
    }

    /** Returns the place about which a plugin is asked next; null if it is asked about none. */
    private @Nullable KnownCapacity next(PluginId plugin, long now) {
        return known.values().stream()
                .filter(there -> there.plugin.equals(plugin))
                .min(Comparator.<KnownCapacity, Duration>comparing(there -> there.due(now, interval(), floor()))
                        .thenComparing(there -> !(there.isChanged() && isInteresting(there, now)))
                        .thenComparing(there -> !isInteresting(there, now))
                        .thenComparingLong(there -> there.lastAsked(now) - now)
                        .thenComparingLong(there -> -interest.getOrDefault(there.place, now)))
                .orElse(null);
    }

    /** Returns whether a placement was interested in a place since the last question about it. */
    private boolean isInteresting(KnownCapacity there, long now) {
        Long at = interest.get(there.place);
        return at != null && at - there.lastAsked(now) > 0;
    }

    private void askNext(PluginId plugin) {
        Questions questions;
        KnownCapacity asked;
        BooleanSupplier leads;
        synchronized (this) {
            questions = plugins.get(plugin);
            leads = mayCall;
            long now = ports().nanoTime();
            asked = next(plugin, now);
            if (questions == null || leads == null || asked == null || questions.busy) {
                return;
            }
            if (pause(questions, asked, now).compareTo(Duration.ZERO) > 0) {
                wake(plugin);
                return;
            }
            questions.busy = true;
            questions.lastBegin = now;
            asked.asks(now);
        }
        var unused = Futures.start(() -> ask(asked, leads)).handle((response, failure) -> {
            Optional<GetCapacityResponse> none = Optional.empty();
            answered(questions, asked, failure == null ? response : none, failure);
            return null;
        });
    }

    /** Asks a plugin; the answer is empty if the question is not needed any more. */
    private CompletableFuture<Optional<GetCapacityResponse>> ask(KnownCapacity asked, BooleanSupplier leads) {
        Optional<VolumeClass> row =
                operations.state().volumeClass(asked.place.className()).filter(asked::isFor);
        if (!leads.getAsBoolean() || row.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        GetCapacityRequest request = request(row.get(), asked.place);
        return operations
                .calls()
                .controller(
                        CallSubject.of(Rpc.GET_CAPACITY, asked.plugin, "")
                                .in(asked.place.topology().map(List::of).orElse(List.of())),
                        controller -> controller.getCapacity(request))
                .thenApply(response -> Optional.of(checked(asked, response)));
    }

    /** Builds the request with the parameters and capabilities that CreateVolume will have. */
    private static GetCapacityRequest request(VolumeClass row, CapacityPlace place) {
        VolumeSpec spec = row.spec(VolumeTemplate.of(row.name()));
        GetCapacityRequest.Builder request = GetCapacityRequest.builder()
                .parameters(spec.parameters())
                .volumeCapabilities(spec.volumeCapabilities());
        place.topology().ifPresent(request::accessibleTopology);
        return request.build();
    }

    /** Returns an answer that makes sense; the gateway of the host may return any. */
    private static GetCapacityResponse checked(KnownCapacity asked, @Nullable GetCapacityResponse response) {
        if (response == null
                || response.availableCapacity() < 0
                || response.maximumVolumeSize().orElse(0L) < 0
                || response.minimumVolumeSize().orElse(0L) < 0
                || response.minimumVolumeSize().orElse(0L)
                        > response.maximumVolumeSize().orElse(Long.MAX_VALUE)) {
            throw new WrongAnswerException(
                    Rpc.GET_CAPACITY,
                    "class " + asked.place.className(),
                    (response == null ? "there is none" : "it has sizes that cannot be, " + response)
                            + "; the last answer still counts");
        }
        return response;
    }

    private void answered(
            Questions questions,
            KnownCapacity asked,
            Optional<GetCapacityResponse> answer,
            @Nullable Throwable thrown) {
        Throwable failure = thrown == null ? null : Futures.unwrap(thrown);
        synchronized (this) {
            questions.busy = false;
            if (failure != null) {
                asked.failed(Failures.textToStore(failure));
            } else {
                answer.ifPresentOrElse(asked::answered, asked::skipped);
            }
            if (mayCall == null) {
                return;
            }
            wake(asked.plugin);
        }
        log(asked, failure);
    }

    private void log(KnownCapacity asked, @Nullable Throwable failure) {
        String place = "class " + asked.place.className()
                + asked.place.topology().map(topology -> " in " + topology).orElse("");
        if (failure == null) {
            causes.over(place);
        } else if (!(failure instanceof NoControllerException)) {
            causes.warn(
                    place,
                    "Plugin " + asked.plugin + " does not say how much capacity is free for " + place + " ("
                            + Failures.textToStore(failure)
                            + "); its last answer counts until it is too old, and it is asked again");
        }
    }
}
