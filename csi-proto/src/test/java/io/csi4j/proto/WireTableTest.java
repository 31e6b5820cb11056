package io.csi4j.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.csi4j.proto.csi.v1.CsiProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Checks that the compiled descriptors have exactly the elements of CSI 1.12 and 1.13. */
class WireTableTest {
    @Test
    void compiledDescriptorsMatchTable() throws IOException {
        List<WireRow> compiled = CompiledWire.rowsOf(CsiProto.getDescriptor());

        assertThat(WireComparison.differences(WireTable.read(), compiled)).isEmpty();
        assertThat(compiled).hasSize(443);
    }

    @Test
    void protoFileHasPublishedProtoPackageAndOwnJavaPackage() {
        FileDescriptorProto file = CsiProto.getDescriptor().toProto();

        assertThat(file.getPackage()).isEqualTo("csi.v1");
        assertThat(file.getSyntax()).isEqualTo("proto3");
        assertThat(file.getOptions().getJavaPackage()).isEqualTo("io.csi4j.proto.csi.v1");
    }

    @Test
    void missingAndExtraRowsOfTableAreDetected() throws IOException {
        List<WireRow> compiled = CompiledWire.rowsOf(CsiProto.getDescriptor());
        for (WireRow row : WireTable.read()) {
            List<WireRow> incomplete = new ArrayList<>(compiled);
            assertThat(incomplete.remove(row)).isTrue();

            assertThat(WireComparison.differences(compiled, incomplete)).containsExactly("missing: " + row);
            assertThat(WireComparison.differences(incomplete, compiled)).containsExactly("extra: " + row);
        }
    }

    @Test
    void changedCellOfTableIsDetected() throws IOException {
        List<WireRow> table = WireTable.read();
        List<UnaryOperator<WireRow>> changes = List.of(
                r -> new WireRow(r.kind(), r.name(), r.number() + "1", r.type(), r.oneof(), r.options(), r.removed()),
                r -> new WireRow(r.kind(), r.name(), r.number(), r.type() + "x", r.oneof(), r.options(), r.removed()),
                r -> new WireRow(r.kind(), r.name(), r.number(), r.type(), r.oneof() + "x", r.options(), r.removed()),
                r -> new WireRow(r.kind(), r.name(), r.number(), r.type(), r.oneof(), r.options() + "x", r.removed()),
                r -> new WireRow(r.kind(), r.name(), r.number(), r.type(), r.oneof(), r.options(), !r.removed()));
        for (int i = 0; i < table.size(); i++) {
            for (UnaryOperator<WireRow> change : changes) {
                List<WireRow> changed = new ArrayList<>(table);
                changed.set(i, change.apply(table.get(i)));

                assertThat(WireComparison.differences(table, changed))
                        .singleElement()
                        .asString()
                        .startsWith("different: ");
            }
        }
    }

    @Test
    void duplicateRowOfTableIsDetected() throws IOException {
        List<WireRow> table = new ArrayList<>(WireTable.read());
        table.add(table.get(0));

        assertThat(WireComparison.differences(table, WireTable.read())).hasSize(1);
    }

    @TestFactory
    Stream<DynamicTest> changedProtoFileIsDetected() {
        return Stream.of(
                changed("a number", file -> field(file, "CreateVolumeRequest", "name", f -> f.setNumber(99))),
                changed(
                        "a type",
                        file -> field(
                                file,
                                "CapacityRange",
                                "limit_bytes",
                                f -> f.setType(FieldDescriptorProto.Type.TYPE_INT32))),
                changed(
                        "a label",
                        file -> field(
                                file,
                                "Volume",
                                "volume_id",
                                f -> f.setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))),
                changed(
                        "a secret that is not marked",
                        file -> field(file, "DeleteVolumeRequest", "secrets", f -> f.clearOptions())),
                changed(
                        "a secret that should not be marked",
                        file -> field(
                                file,
                                "DeleteVolumeRequest",
                                "volume_id",
                                f -> f.getOptionsBuilder().setExtension(CsiProto.csiSecret, true))),
                changed("an oneof", file -> field(file, "VolumeCapability", "mount", f -> f.clearOneofIndex())),
                changed(
                        "a field's name",
                        file -> field(
                                file,
                                "Volume",
                                "volume_id",
                                f -> f.setName("id").setJsonName("volumeId"))),
                changed("a JSON name", file -> field(file, "Volume", "volume_id", f -> f.setJsonName("volume"))),
                changed(
                        "the rename without its JSON name",
                        file -> field(file, "CreateVolumeRequest", "modifiable_parameters", f -> f.clearJsonName())),
                changed(
                        "a renamed field that should keep its name",
                        file -> field(
                                file,
                                "CreateVolumeRequest",
                                "parameters",
                                f -> f.setName("modifiable").setJsonName("parameters"))),
                changed(
                        "an extra field",
                        file -> message(
                                file,
                                "ProbeRequest",
                                m -> m.addField(FieldDescriptorProto.newBuilder()
                                        .setName("more")
                                        .setNumber(7)
                                        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
                                        .setType(FieldDescriptorProto.Type.TYPE_BOOL)))),
                changed("an extra message", file -> file.addMessageTypeBuilder().setName("More")),
                changed("a missing RPC", file -> service(file, "Node", service -> service.removeMethod(0))),
                changed("a missing field", file -> message(file, "Volume", m -> m.removeField(0))),
                changed(
                        "a removed field that is not deprecated",
                        file -> field(
                                file,
                                "NodeGetVolumeStatsResponse",
                                "volume_condition",
                                f -> f.getOptionsBuilder().clearDeprecated())),
                changed(
                        "a kept message that is deprecated",
                        file -> message(
                                file, "Snapshot", m -> m.getOptionsBuilder().setDeprecated(true))),
                changed(
                        "an enum's number",
                        file -> file.getEnumTypeBuilder(0).getValueBuilder(2).setNumber(3)),
                changed(
                        "streaming",
                        file -> service(
                                file,
                                "SnapshotMetadata",
                                service -> service.getMethodBuilder(0).clearServerStreaming())),
                changed(
                        "an alpha service",
                        file -> service(file, "SnapshotMetadata", ServiceDescriptorProto.Builder::clearOptions)));
    }

    private static DynamicTest changed(String name, Consumer<FileDescriptorProto.Builder> change) {
        return DynamicTest.dynamicTest(name, () -> {
            FileDescriptorProto.Builder file = CsiProto.getDescriptor().toProto().toBuilder();
            FileDescriptorProto before = file.build();
            change.accept(file);
            assertThat(file.build()).isNotEqualTo(before);

            assertThat(WireComparison.differences(WireTable.read(), CompiledWire.rowsOf(compile(file.build()))))
                    .isNotEmpty();
        });
    }

    private static FileDescriptor compile(FileDescriptorProto file) throws DescriptorValidationException {
        return FileDescriptor.buildFrom(
                file, CsiProto.getDescriptor().getDependencies().toArray(FileDescriptor[]::new));
    }

    private static void message(
            FileDescriptorProto.Builder file, String name, Consumer<DescriptorProto.Builder> change) {
        change.accept(file.getMessageTypeBuilderList().stream()
                .filter(message -> message.getName().equals(name))
                .findFirst()
                .orElseThrow());
    }

    private static void field(
            FileDescriptorProto.Builder file,
            String message,
            String name,
            Consumer<FieldDescriptorProto.Builder> change) {
        message(
                file,
                message,
                m -> change.accept(m.getFieldBuilderList().stream()
                        .filter(field -> field.getName().equals(name))
                        .findFirst()
                        .orElseThrow()));
    }

    private static void service(
            FileDescriptorProto.Builder file, String name, Consumer<ServiceDescriptorProto.Builder> change) {
        change.accept(file.getServiceBuilderList().stream()
                .filter(service -> service.getName().equals(name))
                .findFirst()
                .orElseThrow());
    }
}
