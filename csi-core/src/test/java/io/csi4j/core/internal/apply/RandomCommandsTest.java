package io.csi4j.core.internal.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RandomCommandsTest {
    private static final int COMMANDS = Integer.getInteger("csi4j.commands", 6_000);

    private static final Set<String> WAYS = new TreeSet<>(List.of(
            "claimed",
            "given up",
            "given up, id found",
            "made",
            "made for its owner",
            "owner ended",
            "owner's claim",
            "taken over"));

    private static RandomGenerator random(long seed) {
        System.out.println("RandomCommandsTest seed " + seed);
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    private static long seed() {
        return Long.getLong("csi4j.seed", 1);
    }

    /** Splits batches into their commands, because the invariants are checked after each command. */
    private static Stream<Command> steps(Command command) {
        return command instanceof Batch batch ? batch.commands().stream() : Stream.of(command);
    }

    @Test
    void randomCommandsKeepInvariantsAndRepeatedCommandsChangeNothing() {
        RandomCommands commands = new RandomCommands(random(seed()));
        NaiveState state = new NaiveState();
        for (int i = 0; i < COMMANDS; i++) {
            for (Command command : steps(commands.next(state)).toList()) {
                NaiveState before = state.copy();
                Outcome outcome = state.apply(command);
                boolean changed = outcome.fold(Outcome.Accepted::changed, rejected -> false);
                assertThat(changed)
                        .as("%s reports whether rows changed: %s", command, outcome)
                        .isEqualTo(!state.sameRows(before));
                if (changed) {
                    Invariants.check(state);
                    Invariants.check(before, state);
                }
                NaiveState once = state.copy();
                state.apply(command);
                boolean same = storesRequestIndex(command) ? state.sameButForMarks(once) : state.sameRows(once);
                assertThat(same).as("%s applied again changes nothing", command).isTrue();
            }
        }
    }

    /** I15: an accepted command does not lift the use over a limit, except the answers of a provider. */
    @Test
    void randomCommandsNeverLiftTheUseOverTheLimitOfAQuota() {
        RandomCommands commands = new RandomCommands(random(seed()));
        NaiveState state = new NaiveState();
        int checked = 0;
        int refused = 0;
        int lifted = 0;
        for (int i = 0; i < COMMANDS || (i < 20 * COMMANDS && (refused == 0 || lifted == 0)); i++) {
            for (Command command : steps(commands.next(state)).toList()) {
                NaiveState before = state.copy();
                Outcome outcome = state.apply(command);
                refused += outcome instanceof Outcome.Rejected rejected
                                && rejected.reason() instanceof Rejection.QuotaExceeded
                        ? 1
                        : 0;
                for (VolumeQuota quota : before.quotas()) {
                    QuotaUse was = before.quotaUse(quota.key());
                    QuotaUse now = state.quotaUse(quota.key());
                    boolean volumes = lifted(quota.volumes(), was.volumes(), now.volumes());
                    boolean bytes = lifted(quota.bytes(), was.bytes(), now.bytes());
                    boolean answer = command instanceof VolumeCommand.RecordProviderFacts
                            || command instanceof ChangeCommand.RecordExpanded;
                    assertThat(volumes || (bytes && !answer))
                            .as("%s lifted the use of %s from %s to %s", command, quota, was, now)
                            .isFalse();
                    checked++;
                    if (bytes) {
                        lifted++;
                        assertThat(((Outcome.Accepted) outcome).effects())
                                .as("%s", command)
                                .anyMatch(effect -> effect instanceof Effect.QuotaOverrun over
                                        && over.excess().quota().equals(quota.key()));
                    }
                }
            }
        }
        assertThat(checked).isGreaterThan(1_000);
        assertThat(refused).isPositive();
        assertThat(lifted).isPositive();
    }

    /**
     * I24: the name of a CreateVolume request stands for one set of fields until it has made the volume, also after the volume was given up and another
     * one has its key. The counts show that the commands reach each way of a volume that a claim makes.
     */
    @Test
    void randomCommandsMakeVolumesWhoseNamesStandForOneRequest() {
        RandomCommands commands = new RandomCommands(random(seed()));
        NaiveState state = new NaiveState();
        Map<Map.Entry<PluginId, String>, List<Object>> requests = new HashMap<>();
        Map<String, Integer> ways = new TreeMap<>();
        for (int i = 0;
                i < 10 * COMMANDS || (i < 300 * COMMANDS && !ways.keySet().equals(WAYS));
                i++) {
            for (Command command : steps(commands.next(state)).toList()) {
                NaiveState before = state.copy();
                Outcome outcome = state.apply(command);
                if (!outcome.fold(Outcome.Accepted::changed, rejected -> false)) {
                    continue;
                }
                for (Volume volume : state.volumes(VolumeQuery.all()).items()) {
                    Optional<Volume> was = before.volume(volume.key());
                    way(was, volume).ifPresent(way -> ways.merge(way, 1, Integer::sum));
                    if (volume.classOrigin().isPresent()
                            && volume.externalVolumeId().isEmpty()) {
                        List<Object> request = request(volume.spec());
                        assertThat(requests.computeIfAbsent(
                                        Map.entry(volume.pluginId(), volume.name()), name -> request))
                                .as("%s after %s", volume, command)
                                .isEqualTo(request);
                    }
                }
            }
        }
        assertThat(ways.keySet()).as("%s", ways).isEqualTo(WAYS);
    }

    /** Returns the fields of CreateVolume, apart from its name. */
    private static List<Object> request(VolumeSpec spec) {
        return List.of(
                spec.capacityRange(),
                spec.requestedCapabilities(),
                spec.parameters(),
                spec.mutableParameters(),
                spec.contentSource(),
                spec.accessibilityRequirements());
    }

    private static Optional<String> way(Optional<Volume> was, Volume is) {
        boolean known =
                was.filter(volume -> volume.createIndex() == is.createIndex()).isPresent();
        if (!known) {
            return is.formerKey().isPresent()
                    ? Optional.of("given up")
                    : is.firstClaim().map(first -> is.owner().isPresent() ? "made for its owner" : "made");
        }
        boolean owned = is.owner().isPresent();
        Volume before = was.get();
        if (is.formerKey().isPresent()
                && is.externalVolumeId().isPresent()
                && before.externalVolumeId().isEmpty()) {
            return Optional.of("given up, id found");
        }
        if (owned && before.phase() == VolumePhase.AVAILABLE && is.phase() == VolumePhase.DELETING) {
            return Optional.of("owner ended");
        }
        if (before.firstClaim().isPresent() && !is.claims().isEmpty()) {
            return Optional.of(owned ? "owner's claim" : "claimed");
        }
        return is.firstClaim().isPresent()
                        && !is.firstClaim()
                                .map(FirstClaim::allocationId)
                                .equals(before.firstClaim().map(FirstClaim::allocationId))
                ? Optional.of("taken over")
                : Optional.empty();
    }

    private static boolean lifted(OptionalLong limit, long was, long now) {
        return limit.isPresent() && now > limit.getAsLong() && now > was;
    }

    /** These commands store the index of their last request, so a repeat changes that index only. */
    private static boolean storesRequestIndex(Command command) {
        return command instanceof VolumeCommand.MarkForGc
                || command instanceof ClaimCommand.TakeClaims
                || command instanceof ChangeCommand.BeginModification
                || command instanceof CallCommand.BeginCall
                || command instanceof SnapshotCommand.BeginSnapshot;
    }

    /** Uses a fixed seed, because the coverage of a random seed would vary between runs. */
    @Test
    void randomCommandsCoverAllTypesOfCommandsAndMostRejections() {
        RandomCommands commands = new RandomCommands(random(7));
        NaiveState state = new NaiveState();
        // Commands remove facts with the last row that needs them, so only an older state has some to delete.
        state.putFacts(PluginFacts.none(PluginId.of("p9")));
        Map<String, Integer> changes = new TreeMap<>();
        Map<String, Integer> rejections = new TreeMap<>();
        Set<String> all = allCommands();
        // Some kinds have an effect in rare states only, so the number of commands follows from what is missing.
        for (int i = 0; i < 50_000 || (i < 1_000_000 && !changes.keySet().containsAll(all)); i++) {
            for (Command command : steps(commands.next(state)).toList()) {
                Outcome outcome = state.apply(command);
                if (outcome instanceof Outcome.Rejected rejected) {
                    rejections.merge(kind(rejected.reason()), 1, Integer::sum);
                    assertThat(rejected.reason().message()).isNotBlank();
                } else if (outcome.fold(Outcome.Accepted::changed, rejected -> false)) {
                    changes.merge(command.getClass().getSimpleName(), 1, Integer::sum);
                }
            }
        }
        assertThat(changes.keySet()).as("%s, refused %s", changes, rejections).isEqualTo(all);
        assertThat(changes.get("TakeClaims")).isGreaterThan(200);
        assertThat(rejections).hasSizeGreaterThan(30);
    }

    private static String kind(Rejection rejection) {
        if (rejection instanceof Rejection.NotAdmitted refused) {
            return refused.decision() instanceof AdmissionDecision.Wait wait
                    ? wait.reason().name()
                    : ((AdmissionDecision.Never) refused.decision()).reason().name();
        }
        return rejection.getClass().getSimpleName();
    }

    private static Set<String> allCommands() {
        return Stream.of(Command.class.getPermittedSubclasses())
                .filter(group -> group != Batch.class)
                .flatMap(group -> Stream.of(group.getPermittedSubclasses()))
                .map(Class::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void sameRandomCommandsProduceSameState() {
        long seed = seed();
        NaiveState one = new NaiveState();
        NaiveState other = new NaiveState();
        RandomCommands first = new RandomCommands(random(seed));
        RandomCommands second = new RandomCommands(random(seed));
        for (int i = 0; i < COMMANDS / 4; i++) {
            assertThat(one.apply(first.next(one))).isEqualTo(other.apply(second.next(other)));
        }
        assertThat(one.sameRows(other)).isTrue();
    }

    @Test
    void rejectedBatchChangesNoRow() {
        RandomCommands commands = new RandomCommands(random(seed()));
        NaiveState state = new NaiveState();
        int refused = 0;
        for (int i = 0; i < COMMANDS / 2; i++) {
            Command command = commands.next(state);
            NaiveState before = state.copy();
            Outcome outcome = state.apply(command);
            if (command instanceof Batch && outcome instanceof Outcome.Rejected rejected) {
                refused++;
                assertThat(state.sameRows(before)).isTrue();
                assertThat(rejected.reason()).isInstanceOf(Rejection.InBatch.class);
            }
        }
        assertThat(refused).isPositive();
    }
}
