package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.SnapshotName;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Attacks by the fields of requests, one for each row of the table in docs/authorization.md: a caller with all
 * permissions in one namespace, and none in another, names what is in the other one.
 */
class RequestFieldsTest {
    private static final Path TABLE = Path.of("..", "docs", "authorization.md");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final VolumeKey OWN = VolumeKey.of("eve", "own");
    private static final VolumeKey HIDDEN = VolumeKey.of("hidden", "treasure");
    private static final VolumeKey NEW = VolumeKey.of("eve", "new");
    private static final List<Class<?>> VIEWS = List.of(
            VolumeClaims.class,
            ManagedVolumes.class,
            VolumeSnapshots.class,
            OperatorActions.class,
            VolumeClasses.class,
            VolumeQuotas.class);
    /** The requests whose fields are rows of their own. */
    private static final List<Class<?>> REQUESTS = List.of(
            VolumeSpec.class,
            VolumeTemplate.class,
            VolumeClassQuery.class,
            QuotaQuery.class,
            SnapshotRequest.class,
            GroupSnapshotRequest.class,
            ClaimRequest.class,
            VolumeQuery.class,
            WaitingQuery.class,
            CallQuery.class,
            PluginQuery.class,
            GetCapacityRequest.class,
            GetMetadataAllocatedRequest.class,
            GetMetadataDeltaRequest.class);

    private final Map<String, Runnable> attacks = new LinkedHashMap<>();
    private VolumeRig rig;
    private CallerOperations eve;
    private Volume hidden;
    private Volume own;
    private Snapshot hiddenSnapshot;
    private VolumeGroupSnapshot hiddenGroup;
    private final List<String> secretsAskedFor = new ArrayList<>();

    RequestFieldsTest() {
        attacks.put("key", this::key);
        attacks.put("plugin", this::plugin);
        attacks.put("class", this::volumeClass);
        attacks.put("quota", this::quota);
        attacks.put("name", this::name);
        attacks.put("external id", this::externalId);
        attacks.put("context", this::context);
        attacks.put("stored snapshot", this::storedSnapshot);
        attacks.put("source", this::source);
        attacks.put("source snapshot", this::sourceSnapshot);
        attacks.put("parameters", this::parameters);
        attacks.put("mount options", this::mountOptions);
        attacks.put("size and use", this::sizeAndUse);
        attacks.put("place", this::place);
        attacks.put("secrets", this::secrets);
        attacks.put("sharing", this::sharing);
        attacks.put("allocation", this::allocation);
        attacks.put("workload", this::workload);
        attacks.put("node", this::node);
        attacks.put("snapshot", this::snapshot);
        attacks.put("group", this::group);
        attacks.put("filter", this::filter);
        attacks.put("position", this::position);
        attacks.put("snapshot name", this::snapshotName);
    }

    private void world() {
        rig = VolumeRig.started();
        rig.secrets = query -> {
            secretsAskedFor.add(query.subject());
            return CompletableFuture.completedFuture(Optional.of(Secrets.empty()));
        };
        Set<Permission> given = Set.of(
                Permission.VOLUME_LIST, Permission.VOLUME_READ, Permission.VOLUME_WRITE, Permission.VOLUME_MOUNT);
        rig.access = (caller, access) -> !caller.getName().equals("eve")
                || access.equals(Access.of(Permission.PLUGIN_READ))
                || (given.contains(access.permission())
                        && access.namespace().orElseThrow().value().equals("eve"));
        VolumeLifecycle host = rig.engine();
        hidden = rig.done(host.volumes().create(HIDDEN, VolumeRig.spec().build()));
        own = rig.done(host.volumes().create(OWN, VolumeRig.spec().build()));
        hiddenSnapshot = rig.done(host.snapshots().create(SnapshotRequest.of(HIDDEN, "s")));
        hiddenGroup = rig.done(host.snapshots().createGroup(new GroupSnapshotRequest("g", List.of(HIDDEN), Map.of())));
        rig.done(host.cluster().allocationStarted(AllocationId.of("a-other"), HIDDEN.namespace(), NodeId.of("n1")));
        rig.done(host.cluster().allocationStarted(AllocationId.of("a-eve"), OWN.namespace(), NodeId.of("n2")));
        // A volume of the administrator: the provider has it, the state does not.
        rig.provider.volumes.put(
                "vault",
                ExternalVolume.builder(ExternalVolumeId.of("ext-vault")).build());
        rig.gateway.calls().clear();
        secretsAskedFor.clear();
        eve = host.as(() -> "eve");
    }

    record Row(List<String> fields, String attack) {
        @Override
        public String toString() {
            return attack;
        }
    }

    static Stream<Row> rows() throws IOException {
        return Files.readAllLines(TABLE).stream()
                .dropWhile(line -> !line.equals("## Fields of requests"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|", -1))
                .map(cells -> new Row(
                        CODE.matcher(cells[1])
                                .results()
                                .map(code -> code.group(1))
                                .toList(),
                        cells[4].strip()));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void fieldReachesNothingOfAnotherNamespace(Row row) {
        assertThat(attacks).containsKey(row.attack());
        world();
        attacks.get(row.attack()).run();
        assertThat(rig.provider.volumes).as("nothing was deleted").containsKey("vault");
        assertThat(rig.get(HIDDEN)).isEqualTo(hidden);
    }

    @Test
    void everyFieldHasItsRowAndEveryAttackIsInTheTable() throws IOException {
        Set<String> listed = new TreeSet<>();
        Set<String> attacked = new TreeSet<>();
        rows().forEach(row -> {
            listed.addAll(row.fields());
            attacked.add(row.attack());
        });
        assertThat(listed).isEqualTo(fields());
        assertThat(attacked).isEqualTo(new TreeSet<>(attacks.keySet()));
    }

    /** Returns the fields of all operations that a caller without MANAGEMENT may perform. */
    private static Set<String> fields() throws IOException {
        List<String> operators = Files.readAllLines(TABLE).stream()
                .filter(line -> line.contains(") | `MANAGEMENT` |")
                        || line.contains(")` | `MANAGEMENT` |")
                        || line.contains(")` | `NODE_REPORT` |"))
                .toList();
        Set<String> fields = new TreeSet<>();
        // The builders get the first two, and withSecrets the last one.
        fields.addAll(List.of("VolumeSpec.pluginId", "VolumeTemplate.className", "Secrets"));
        Stream<Method> methods = Stream.concat(VIEWS.stream(), Stream.of(SnapshotMetadataService.class))
                .flatMap(view -> Arrays.stream(view.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> operators.stream().noneMatch(row -> row.contains("()." + signature(method) + "`")));
        methods.forEach(method -> {
            for (Type type : method.getGenericParameterTypes()) {
                addFields(type, fields);
            }
        });
        return fields;
    }

    private static String signature(Method method) {
        List<String> types = Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .toList();
        return method.getName() + "(" + String.join(", ", types) + ")";
    }

    private static void addFields(Type type, Set<String> fields) {
        Type element = type instanceof ParameterizedType list && list.getRawType() == List.class
                ? list.getActualTypeArguments()[0]
                : type;
        Optional<Class<?>> request = REQUESTS.stream().filter(element::equals).findFirst();
        if (request.isEmpty()) {
            fields.add(type.getTypeName().replaceAll("[a-z0-9.]+\\.", "").replaceAll("Map<.*", "Map"));
            return;
        }
        Class<?> fieldsOf = Arrays.stream(request.get().getDeclaredClasses())
                .filter(nested -> nested.getSimpleName().equals("Builder"))
                .<Class<?>>map(nested -> nested)
                .findFirst()
                .orElse(request.get());
        for (Method method : fieldsOf.getDeclaredMethods()) {
            boolean field = Modifier.isPublic(method.getModifiers())
                    && (fieldsOf.isRecord()
                            ? Arrays.stream(fieldsOf.getRecordComponents())
                                    .anyMatch(part -> part.getAccessor().equals(method))
                            : method.getReturnType() == fieldsOf);
            if (field) {
                fields.add(request.get().getSimpleName() + "." + method.getName());
            }
        }
    }

    /** Expects that the operation fails, that no call changed anything, and that the text shows nothing hidden. */
    private <X extends CsiException> X refused(CompletableFuture<?> attempt, Class<X> type) {
        X failure = rig.failed(attempt, type);
        assertThat(failure.getMessage()).doesNotContain("hidden").doesNotContain("treasure");
        for (Rpc rpc : List.of(
                Rpc.CREATE_VOLUME,
                Rpc.DELETE_VOLUME,
                Rpc.CREATE_SNAPSHOT,
                Rpc.DELETE_SNAPSHOT,
                Rpc.DELETE_VOLUME_GROUP_SNAPSHOT)) {
            assertThat(rig.gateway.requests(rpc)).isEmpty();
        }
        return failure;
    }

    private AccessDeniedException denied(CompletableFuture<?> attempt) {
        return refused(attempt, AccessDeniedException.class);
    }

    private CompletableFuture<Volume> create(VolumeSpec.Builder spec) {
        return eve.volumes().create(NEW, spec.build());
    }

    private void key() {
        // The caller named this key, so the refusal may name its namespace.
        for (CompletableFuture<?> attempt : List.of(
                eve.volumes().delete(HIDDEN),
                eve.volumes().register(HIDDEN, VolumeRig.spec().build()),
                eve.volumes().get(HIDDEN),
                eve.snapshots().create(SnapshotRequest.of(HIDDEN, "mine")),
                eve.snapshots().createGroup(new GroupSnapshotRequest("mine", List.of(OWN, HIDDEN), Map.of())),
                eve.claims().claim(AllocationId.of("a-eve"), List.of(ClaimRequest.writing(HIDDEN, USE))),
                eve.claims().release(HIDDEN, AllocationId.of("a-other")),
                eve.operator().detach(HIDDEN, NodeId.of("n1")))) {
            rig.failed(attempt, AccessDeniedException.class);
        }
        assertThat(rig.gateway.calls()).isEmpty();
    }

    private void plugin() {
        VolumeSpec other = VolumeSpec.builder(PluginId.of("other"))
                .requestedCapabilities(List.of(USE))
                .build();
        refused(eve.volumes().register(OWN, other), CsiRequestException.class);
        assertThat(rig.done(eve.volumes()
                                .list(VolumeQuery.builder()
                                        .pluginId(VolumeRig.PLUGIN)
                                        .build()))
                        .items())
                .extracting(VolumeSummary::key)
                .containsExactly(OWN);
        denied(eve.operator().deletePlugin(VolumeRig.PLUGIN));
        assertThat(rig.done(eve.claims().missingAuthority(OWN.namespace(), List.of(), Set.of(VolumeRig.PLUGIN))))
                .containsExactly(Access.of(Permission.PLUGIN_DEPLOY));
    }

    /** A class reaches the storage that its parameters and secrets open. */
    private void volumeClass() {
        VolumeClassName name = VolumeClassName.of("vip");
        CapacityRange size = CapacityRange.atLeast(5);
        String missing = refused(eve.volumes().create(NEW, name, size), RejectedException.class)
                .getMessage();
        String unknown = refused(eve.classes().get(NEW.namespace(), name), CsiRequestException.class)
                .getMessage();
        rig.done(rig.engine()
                .classes()
                .put(VolumeClass.builder(name, VolumeRig.PLUGIN)
                        .requestedCapabilities(List.of(USE))
                        .namespaces(List.of(HIDDEN.namespace()))
                        .build()));
        eve = rig.engine().as(() -> "eve");
        assertThat(refused(eve.volumes().create(NEW, name, size), RejectedException.class))
                .hasMessage(missing);
        assertThat(refused(eve.volumes().create(NEW, VolumeTemplate.of(name)), RejectedException.class))
                .hasMessage(missing);
        ClaimRequest claim = ClaimRequest.writing(NEW, USE).madeFrom(VolumeTemplate.of(name));
        CompletableFuture<ClaimGrant> grant = eve.claims().claim(AllocationId.of("a-eve"), List.of(claim));
        assertThat(rig.failed(grant, RejectedException.class)).hasMessage(missing);
        assertThat(refused(eve.classes().get(NEW.namespace(), name), CsiRequestException.class))
                .hasMessage(unknown);
        rig.failed(eve.classes().get(HIDDEN.namespace(), name), AccessDeniedException.class);
        rig.failed(eve.classes().list(VolumeClassQuery.usableIn(HIDDEN.namespace())), AccessDeniedException.class);
        assertThat(rig.done(eve.classes().list(VolumeClassQuery.usableIn(NEW.namespace())))
                        .items())
                .isEmpty();
        assertThat(rig.log.snapshot().volume(NEW)).isEmpty();
    }

    private void quota() {
        QuotaKey key = QuotaKey.of(HIDDEN.namespace());
        VolumeQuota quota = new VolumeQuota(key, OptionalLong.of(1), OptionalLong.empty());
        rig.done(rig.engine().quotas().put(quota));
        rig.failed(eve.quotas().get(key), AccessDeniedException.class);
        rig.failed(eve.quotas().list(QuotaQuery.of(key.namespace())), AccessDeniedException.class);
        rig.failed(eve.quotas().list(QuotaQuery.all()), AccessDeniedException.class);
        rig.failed(eve.quotas().put(quota), AccessDeniedException.class);
        rig.failed(eve.quotas().remove(key), AccessDeniedException.class);
        QuotaKey position = QuotaKey.of(HIDDEN.namespace());
        assertThat(rig.done(eve.quotas().list(new QuotaQuery(Optional.of(OWN.namespace()), Optional.of(position), 5)))
                        .items())
                .isEmpty();
    }

    /** CreateVolume with the name of a volume returns that volume, and its creator may delete it. */
    private void name() {
        denied(create(VolumeRig.spec().name("vault")));
        denied(create(VolumeRig.spec().name(hidden.name())));
        assertThat(rig.log.snapshot().volume(NEW)).isEmpty();
    }

    /** Every caller with VOLUME_WRITE in the namespace of a registered volume can delete it. */
    private void externalId() {
        String unknown = denied(eve.volumes()
                        .register(
                                NEW,
                                VolumeRig.spec()
                                        .externalVolumeId(ExternalVolumeId.of("ext-vault"))
                                        .build()))
                .getMessage();
        String known = denied(eve.volumes()
                        .register(
                                NEW,
                                VolumeRig.spec()
                                        .externalVolumeId(hidden.remoteId())
                                        .build()))
                .getMessage();
        assertThat(known).isEqualTo(unknown);
        denied(eve.volumes()
                .register(VolumeKey.of("eve", "ext-vault"), VolumeRig.spec().build()));
        refused(
                eve.volumes()
                        .register(
                                OWN,
                                VolumeRig.spec()
                                        .externalVolumeId(hidden.remoteId())
                                        .build()),
                RejectedException.class);
        refused(create(VolumeRig.spec().externalVolumeId(ExternalVolumeId.of("ext-vault"))), CsiRequestException.class);
        assertThat(rig.log.snapshot().volume(NEW)).isEmpty();
    }

    /** A plugin that mounts by its context mounts what the context names. */
    private void context() {
        VolumeKey registered = VolumeKey.of("eve", "share");
        VolumeSpec.Builder spec = VolumeRig.spec().volumeContext(VolumeContext.of(Map.of("share", "/eve")));
        rig.provider.volumes.put(
                "share", ExternalVolume.builder(ExternalVolumeId.of("share")).build());
        rig.done(rig.engine().volumes().register(registered, spec.build()));
        eve = rig.engine().as(() -> "eve");
        rig.done(eve.volumes().register(registered, spec.build()));
        VolumeSpec other = spec.volumeContext(VolumeContext.of(Map.of("share", "/treasure")))
                .build();
        denied(eve.volumes().register(registered, other));
        assertThat(rig.get(registered).volumeContext()).isEqualTo(VolumeContext.of(Map.of("share", "/eve")));
        refused(create(VolumeRig.spec().volumeContext(other.volumeContext())), CsiRequestException.class);
    }

    private void source() {
        String known = denied(create(VolumeRig.spec().contentSource(VolumeContentSource.volume(hidden.remoteId()))))
                .getMessage()
                .replace(hidden.remoteId().value(), "ID");
        String unknown = denied(create(
                        VolumeRig.spec().contentSource(VolumeContentSource.volume(ExternalVolumeId.of("ext-vault")))))
                .getMessage()
                .replace("ext-vault", "ID");
        assertThat(known).isEqualTo(unknown);
        denied(create(VolumeRig.spec().contentSource(VolumeContentSource.snapshot(hiddenSnapshot.snapshotId()))));
        denied(create(VolumeRig.spec().contentSource(VolumeContentSource.snapshot(SnapshotId.of("unknown")))));
        sourceOfATemplate();
        assertThat(rig.log.snapshot().volume(NEW)).isEmpty();
        rig.done(create(VolumeRig.spec().contentSource(VolumeContentSource.volume(own.remoteId()))));
        Snapshot mine = rig.done(eve.snapshots().create(SnapshotRequest.of(OWN, "mine")));
        VolumeKey copy = VolumeKey.of("eve", "copy");
        VolumeSpec fromSnapshot = VolumeRig.spec()
                .contentSource(VolumeContentSource.snapshot(mine.snapshotId()))
                .build();
        Volume made = rig.done(eve.volumes().create(copy, fromSnapshot));
        rig.done(eve.snapshots().delete(VolumeRig.PLUGIN, mine.snapshotId()));
        assertThat(rig.done(eve.volumes().create(copy, fromSnapshot)).remoteId())
                .as("a repeated request needs no source")
                .isEqualTo(made.remoteId());
    }

    private void sourceSnapshot() {
        SnapshotKey stored = SnapshotKey.of("hidden", "stored");
        rig.storeSnapshot(stored, HIDDEN);
        VolumeClassName open = VolumeClassName.of("open");
        rig.done(rig.engine()
                .classes()
                .put(VolumeClass.builder(open, VolumeRig.PLUGIN)
                        .requestedCapabilities(List.of(USE))
                        .build()));
        eve = rig.engine().as(() -> "eve");
        for (SnapshotKey key : List.of(stored, SnapshotKey.of("hidden", "unknown"))) {
            VolumeTemplate copy =
                    VolumeTemplate.builder(open).sourceSnapshot(key).build();
            List<ClaimRequest> claim = List.of(ClaimRequest.writing(NEW, USE).madeFrom(copy));
            for (CompletableFuture<?> attempt : List.of(
                    create(VolumeRig.spec().sourceSnapshot(key)),
                    eve.volumes().create(NEW, copy),
                    eve.claims().claim(AllocationId.of("a-eve"), claim),
                    eve.claims().request(AllocationId.of("a-eve"), claim))) {
                rig.failed(attempt, AccessDeniedException.class);
            }
        }
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).isEmpty();
        assertThat(rig.log.snapshot().volume(NEW)).isEmpty();
        // The permission is checked once: a creation that is under way does not need it any more.
        SnapshotKey mine = SnapshotKey.of("eve", "mine");
        rig.storeSnapshot(mine, OWN);
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        CompletableFuture<Volume> creation = create(VolumeRig.spec().sourceSnapshot(mine));
        rig.clock.run();
        rig.access = (caller, access) -> !caller.getName().equals("eve");
        assertThat(rig.later(creation).spec().sourceSnapshot()).contains(mine);
    }

    private void sourceOfATemplate() {
        VolumeClassName open = VolumeClassName.of("open");
        rig.done(rig.engine()
                .classes()
                .put(VolumeClass.builder(open, VolumeRig.PLUGIN)
                        .requestedCapabilities(List.of(USE))
                        .build()));
        eve = rig.engine().as(() -> "eve");
        AllocationId allocation = AllocationId.of("a-eve");
        for (VolumeContentSource source : List.of(
                VolumeContentSource.volume(hidden.remoteId()),
                VolumeContentSource.volume(ExternalVolumeId.of("ext-vault")),
                VolumeContentSource.snapshot(hiddenSnapshot.snapshotId()),
                VolumeContentSource.snapshot(SnapshotId.of("unknown")))) {
            VolumeTemplate copy =
                    VolumeTemplate.builder(open).contentSource(source).build();
            List<ClaimRequest> claim = List.of(ClaimRequest.writing(NEW, USE).madeFrom(copy));
            denied(eve.volumes().create(NEW, copy));
            denied(eve.claims().claim(allocation, claim));
            denied(eve.claims().request(allocation, claim));
        }
        assertThat(rig.log.snapshot().requestedClaims()).isEmpty();
    }

    private void parameters() {
        Map<String, String> parameters = Map.of("pool", "of-eve");
        refused(
                eve.volumes()
                        .register(OWN, VolumeRig.spec().parameters(parameters).build()),
                RejectedException.class);
        Volume made = rig.done(create(VolumeRig.spec().parameters(parameters).mutableParameters(Map.of("tier", "a"))));
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME))
                .allSatisfy(sent ->
                        assertThat(((CreateVolumeRequest) sent).parameters()).isEqualTo(parameters));
        assertThat(made.remoteId()).isNotEqualTo(hidden.remoteId());
        rig.done(eve.volumes().modify(NEW, Map.of("tier", "b")));
        rig.failed(eve.volumes().modify(HIDDEN, Map.of("tier", "b")), AccessDeniedException.class);
        rig.done(eve.snapshots().create(new SnapshotRequest(OWN, "mine", parameters, Optional.empty())));
        assertThat(rig.gateway.requests(Rpc.CREATE_SNAPSHOT))
                .allSatisfy(sent -> assertThat(((CreateSnapshotRequest) sent).sourceVolumeId())
                        .isEqualTo(own.remoteId()));
        rig.gateway.answer(Rpc.GET_CAPACITY, sent -> new GetCapacityResponse(7, Optional.empty(), Optional.empty()));
        rig.done(eve.volumes()
                .capacity(
                        VolumeRig.PLUGIN,
                        GetCapacityRequest.builder().parameters(parameters).build()));
    }

    private void mountOptions() {
        ClaimRequest request = new ClaimRequest(HIDDEN, ClaimMode.WRITE, USE, MountOptions.of("ext4", "bind"));
        rig.failed(eve.claims().claim(AllocationId.of("a-eve"), List.of(request)), AccessDeniedException.class);
        Volume changed = rig.done(eve.volumes()
                .register(
                        OWN,
                        VolumeRig.spec()
                                .mountOptions(MountOptions.of("ext4", "noatime"))
                                .build()));
        assertThat(changed.spec().mountOptions().mountFlags().isEmpty())
                .as("flags are not shown, even to the caller who gave them")
                .isTrue();
    }

    private void sizeAndUse() {
        rig.done(eve.volumes().expand(OWN, CapacityRange.atLeast(5)));
        rig.failed(eve.volumes().expand(HIDDEN, CapacityRange.atLeast(5)), AccessDeniedException.class);
        assertThat(rig.get(HIDDEN).facts()).isEqualTo(hidden.facts());
    }

    private void place() {
        rig.done(create(VolumeRig.spec()
                .accessibilityRequirements(TopologyRequirement.requisite(Topology.of(Map.of("zone", "z"))))));
        assertThat(rig.get(HIDDEN).facts().accessibleTopology()).isEmpty();
    }

    private void secrets() {
        rig.done(eve.volumes().expand(OWN, CapacityRange.atLeast(5)));
        rig.done(eve.volumes().modify(OWN, Map.of("tier", "a")));
        assertThat(secretsAskedFor).isNotEmpty().allMatch(subject -> subject.equals("volume " + OWN));
        secretsAskedFor.clear();
        denied(eve.withSecrets(Secrets.of(Map.of("password", "of-eve")))
                .volumes()
                .create(
                        NEW,
                        VolumeRig.spec()
                                .contentSource(VolumeContentSource.volume(hidden.remoteId()))
                                .build()));
        assertThat(secretsAskedFor).isEmpty();
    }

    /** A workload of the caller's namespace has the name of one in the other namespace. */
    private void workload() {
        WorkloadOwner web = WorkloadOwner.of("web", 1);
        rig.done(rig.engine().volumes().adopt(HIDDEN, Optional.of(web)));
        hidden = rig.get(HIDDEN);
        eve = rig.engine().as(() -> "eve");
        rig.failed(eve.volumes().adopt(HIDDEN, Optional.empty()), AccessDeniedException.class);
        rig.failed(eve.volumes().setReclaim(HIDDEN, ReclaimPolicy.DELETE), AccessDeniedException.class);
        rig.failed(eve.volumes().deleteRetained(HIDDEN), AccessDeniedException.class);
        rig.failed(eve.cluster().ownerEnded(HIDDEN.namespace(), web), AccessDeniedException.class);
        rig.failed(eve.cluster().ownerEnded(OWN.namespace(), web), AccessDeniedException.class);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        rig.done(eve.volumes().adopt(OWN, Optional.of(web)));
        assertThat(rig.done(eve.volumes()
                                .list(VolumeQuery.builder().workload(web.name()).build()))
                        .items())
                .extracting(VolumeSummary::key)
                .containsExactly(OWN);
        rig.done(rig.engine().cluster().ownerEnded(OWN.namespace(), web));
        rig.run();
        assertThat(rig.log.snapshot().volume(OWN)).isEmpty();
    }

    private void sharing() {
        rig.done(eve.volumes()
                .register(
                        OWN,
                        VolumeRig.spec().sharedWith(List.of(HIDDEN.namespace())).build()));
        denied(eve.claims().claim(AllocationId.of("a-other"), List.of(ClaimRequest.writing(OWN, USE))));
    }

    private void allocation() {
        denied(eve.claims().claim(AllocationId.of("a-other"), List.of(ClaimRequest.writing(OWN, USE))));
        rig.done(rig.engine().claims().claim(AllocationId.of("a-other"), List.of(ClaimRequest.writing(HIDDEN, USE))));
        eve = rig.engine().as(() -> "eve");
        AllocationClaims found = rig.done(eve.claims().status(AllocationId.of("a-other")));
        assertThat(found.held()).isEmpty();
        assertThat(found.waiting()).isEmpty();
        refused(eve.volumes().stats(OWN, AllocationId.of("a-other")), CsiException.class);
        hidden = rig.get(HIDDEN);
    }

    private void node() {
        rig.done(rig.engine().claims().claim(AllocationId.of("a-other"), List.of(ClaimRequest.writing(HIDDEN, USE))));
        eve = rig.engine().as(() -> "eve");
        assertThat(rig.done(eve.volumes()
                                .list(VolumeQuery.builder()
                                        .nodeId(NodeId.of("n1"))
                                        .build()))
                        .items())
                .isEmpty();
        denied(eve.operator().node(NodeId.of("n1")));
        hiddenWork();
        assertThat(rig.done(eve.claims()
                                .waiting(WaitingQuery.builder()
                                        .nodeId(NodeId.of("bare"))
                                        .build()))
                        .items())
                .isEmpty();
        rig.failed(eve.operator().detach(HIDDEN, NodeId.of("n1")), AccessDeniedException.class);
        hidden = rig.get(HIDDEN);
    }

    private void storedSnapshot() {
        SnapshotKey kept = new SnapshotKey(HIDDEN.namespace(), SnapshotName.of("kept"));
        rig.storeSnapshot(kept, HIDDEN);
        rig.failed(eve.snapshots().delete(kept), AccessDeniedException.class);
        rig.failed(eve.snapshots().get(kept), AccessDeniedException.class);
        rig.failed(eve.snapshots().list(kept.namespace(), Optional.empty()), AccessDeniedException.class);
        rig.failed(
                eve.snapshots().create(SnapshotKey.of("eve", "copy"), HIDDEN, Map.of()), AccessDeniedException.class);
        rig.failed(eve.snapshots().create(kept, OWN, Map.of()), AccessDeniedException.class);
        assertThat(rig.done(eve.snapshots().list(OWN.namespace(), Optional.of(HIDDEN))))
                .isEmpty();
        assertThat(rig.log.state().snapshot().snapshot(kept)).isPresent();
    }

    private void snapshot() {
        SnapshotId unknown = SnapshotId.of("unknown");
        for (SnapshotId id : List.of(hiddenSnapshot.snapshotId(), unknown)) {
            denied(eve.snapshots().delete(VolumeRig.PLUGIN, id));
            assertThat(rig.done(eve.snapshots().get(VolumeRig.PLUGIN, id))).isEmpty();
        }
        rig.services.add(PluginService.SNAPSHOT_METADATA_SERVICE);
        rig.nodes("n1", "n2");
        SnapshotMetadataService metadata = eve.snapshots().metadata(VolumeRig.PLUGIN);
        Snapshot mine = rig.done(eve.snapshots().create(SnapshotRequest.of(OWN, "mine")));
        rig.gateway.calls().clear();
        denied(first(metadata.getMetadataAllocated(
                GetMetadataAllocatedRequest.builder(hiddenSnapshot.snapshotId()).build())));
        denied(first(metadata.getMetadataDelta(
                GetMetadataDeltaRequest.builder(hiddenSnapshot.snapshotId(), mine.snapshotId())
                        .build())));
        denied(first(metadata.getMetadataDelta(
                GetMetadataDeltaRequest.builder(mine.snapshotId(), hiddenSnapshot.snapshotId())
                        .build())));
    }

    private static CompletableFuture<Object> first(Flow.Publisher<?> stream) {
        CompletableFuture<Object> first = new CompletableFuture<>();
        stream.subscribe(new Flow.Subscriber<Object>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(1);
            }

            @Override
            public void onNext(Object message) {
                first.complete(message);
            }

            @Override
            public void onError(Throwable failure) {
                first.completeExceptionally(failure);
            }

            @Override
            public void onComplete() {
                first.complete(List.of());
            }
        });
        return first;
    }

    private void group() {
        List<SnapshotId> members =
                hiddenGroup.snapshots().stream().map(Snapshot::snapshotId).toList();
        denied(eve.snapshots().deleteGroup(VolumeRig.PLUGIN, hiddenGroup.groupSnapshotId(), members));
        assertThat(rig.done(eve.snapshots().getGroup(VolumeRig.PLUGIN, hiddenGroup.groupSnapshotId(), members)))
                .isEmpty();
        VolumeGroupSnapshot mine =
                rig.done(eve.snapshots().createGroup(new GroupSnapshotRequest("mine", List.of(OWN), Map.of())));
        rig.gateway.calls().clear();
        refused(
                eve.snapshots()
                        .deleteGroup(
                                VolumeRig.PLUGIN,
                                mine.groupSnapshotId(),
                                List.of(mine.snapshots().get(0).snapshotId(), members.get(0))),
                CsiRequestException.class);
        rig.gateway.answer(
                Rpc.GET_VOLUME_GROUP_SNAPSHOT,
                sent -> new GetVolumeGroupSnapshotResponse(
                        VolumeGroupSnapshot.builder(GroupSnapshotId.of("empty")).build()));
        assertThat(rig.done(eve.snapshots().getGroup(VolumeRig.PLUGIN, GroupSnapshotId.of("empty"), members)))
                .isEmpty();
    }

    private void filter() {
        assertThat(rig.done(eve.snapshots().list(VolumeRig.PLUGIN, Optional.of(hidden.remoteId()), 0, ""))
                        .entries())
                .isEmpty();
        rig.failed(
                eve.volumes()
                        .list(VolumeQuery.builder()
                                .namespace(HIDDEN.namespace())
                                .build()),
                AccessDeniedException.class);
        assertThat(rig.done(eve.volumes()
                                .list(VolumeQuery.builder().idPrefix("treasure").build()))
                        .items())
                .isEmpty();
        assertThat(rig.done(eve.volumes()
                                .list(VolumeQuery.builder()
                                        .phase(hidden.phase())
                                        .build()))
                        .items())
                .noneMatch(volume -> volume.key().equals(HIDDEN));
        hiddenWork();
        assertThat(rig.done(eve.operator().calls(CallQuery.all())).items())
                .isNotEmpty()
                .allMatch(call -> call.volume().isEmpty());
        for (CallQuery query : List.of(
                CallQuery.builder().idPrefix("trea").build(),
                CallQuery.builder().namespace(HIDDEN.namespace()).build())) {
            assertThat(rig.done(eve.operator().calls(query)).items()).isEmpty();
        }
        for (WaitingQuery query : List.of(
                WaitingQuery.all(),
                WaitingQuery.builder().idPrefix("a-waits").build(),
                WaitingQuery.builder().namespace(HIDDEN.namespace()).build())) {
            assertThat(rig.done(eve.claims().waiting(query)).items()).isEmpty();
        }
        hidden = rig.get(HIDDEN);
        assertThat(rig.done(eve.claims().missingAuthority(Namespace.of("hidden"), List.of(), Set.of())))
                .isEmpty();
    }

    /** A claim on the hidden volume that waits, and an open call for that volume. */
    private void hiddenWork() {
        VolumeLifecycle host = rig.engine();
        eve = host.as(() -> "eve");
        NodeId bare = NodeId.of("bare");
        rig.done(host.cluster().nodeReady(bare));
        rig.done(host.cluster().allocationStarted(AllocationId.of("a-waits"), HIDDEN.namespace(), bare));
        var claim = host.claims().claim(AllocationId.of("a-waits"), List.of(ClaimRequest.writing(HIDDEN, USE)));
        rig.gateway.hang(Rpc.CONTROLLER_GET_VOLUME_HEALTH);
        var health = host.volumes().health(HIDDEN);
        rig.run();
        assertThat(claim).isNotDone();
        assertThat(health).isNotDone();
        assertThat(rig.done(host.claims().waiting(WaitingQuery.all())).items()).hasSize(1);
    }

    /** The token of a page that another caller began. */
    private void position() {
        rig.gateway
                .answer(
                        Rpc.LIST_VOLUMES,
                        sent -> new ListVolumesResponse(
                                List.of(new ListVolumesResponse.Entry(
                                        ExternalVolume.builder(hidden.remoteId())
                                                .build(),
                                        Optional.empty())),
                                ""))
                .answer(Rpc.LIST_SNAPSHOTS, sent -> new ListSnapshotsResponse(List.of(hiddenSnapshot), ""));
        assertThat(rig.done(eve.volumes().listExternal(VolumeRig.PLUGIN, 1, "of-another"))
                        .entries())
                .isEmpty();
        assertThat(rig.done(eve.snapshots().list(VolumeRig.PLUGIN, Optional.empty(), 1, "of-another"))
                        .entries())
                .isEmpty();
        assertThat(rig.done(eve.volumes()
                                .list(VolumeQuery.builder()
                                        .after(VolumeKey.of("hidden", "a"))
                                        .limit(1)
                                        .build()))
                        .items())
                .isEmpty();
        rig.failed(eve.operator().withdrawCreation(HIDDEN, "a reason"), AccessDeniedException.class);
    }

    /** The plugin returns the snapshot that it has by this name. */
    private void snapshotName() {
        rig.gateway.answer(Rpc.CREATE_SNAPSHOT, sent -> new CreateSnapshotResponse(hiddenSnapshot));
        CsiException wrong =
                rig.failed(eve.snapshots().create(SnapshotRequest.of(OWN, "s")), WrongAnswerException.class);
        assertThat(wrong.getMessage()).doesNotContain("treasure");
        rig.failed(
                eve.snapshots().createGroup(new GroupSnapshotRequest("g", List.of(OWN), Map.of())),
                WrongAnswerException.class);
        assertThat(rig.gateway.requests(Rpc.DELETE_SNAPSHOT)).isEmpty();
    }
}
