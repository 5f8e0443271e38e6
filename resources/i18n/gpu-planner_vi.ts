<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="vi" sourcelanguage="en">
  <context>
    <name>AnswerCharts</name>
    <message>
      <source>Buy or rent</source>
      <translation>Mua hay thuê</translation>
    </message>
    <message>
      <source>Charts</source>
      <translation>Biểu đồ</translation>
    </message>
    <message>
      <source>Cost against time</source>
      <translation>Chi phí so với thời gian</translation>
    </message>
    <message>
      <source>Efficiency of more GPUs</source>
      <translation>Hiệu suất khi thêm GPU</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Bộ nhớ</translation>
    </message>
    <message>
      <source>Memory and speed</source>
      <translation>Bộ nhớ và tốc độ</translation>
    </message>
    <message>
      <source>More GPUs</source>
      <translation>Thêm GPU</translation>
    </message>
    <message>
      <source>Roofline</source>
      <translation>Roofline</translation>
    </message>
    <message>
      <source>Speed-up</source>
      <translation>Mức tăng tốc</translation>
    </message>
    <message>
      <source>Time and cost</source>
      <translation>Thời gian và chi phí</translation>
    </message>
    <message>
      <source>Time to the result</source>
      <translation>Thời gian có kết quả</translation>
    </message>
    <message>
      <source>What if</source>
      <translation>Nếu như</translation>
    </message>
    <message>
      <source>What moves the cost</source>
      <translation>Điều gì làm thay đổi chi phí</translation>
    </message>
  </context>
  <context>
    <name>AnswerPage</name>
    <message>
      <source>All options</source>
      <translation>Mọi phương án</translation>
    </message>
    <message>
      <source>Answer</source>
      <translation>Câu trả lời</translation>
    </message>
    <message>
      <source>The first answer is being worked out.</source>
      <translation>Đang tính câu trả lời đầu tiên.</translation>
    </message>
    <message>
      <source>Verdict</source>
      <translation>Kết luận</translation>
    </message>
    <message>
      <source>{0} is ruled out: {1}</source>
      <translation>{0} bị loại: {1}</translation>
    </message>
  </context>
  <context>
    <name>BackgroundHerald</name>
    <message>
      <source>The benchmark has ended. The answer now rests on it, as far as it got.</source>
      <translation>Benchmark đã kết thúc. Câu trả lời giờ dựa vào những gì nó đo được.</translation>
    </message>
  </context>
  <context>
    <name>BenchmarkController</name>
    <message>
      <source>Earlier results could not be read; a new benchmark will be kept beside them.</source>
      <translation>Không đọc được các kết quả trước; benchmark mới sẽ được lưu bên cạnh chúng.</translation>
    </message>
    <message>
      <source>No Python here can run the benchmark yet: choose one on the page Machine.</source>
      <translation>Ở đây chưa có Python nào chạy được benchmark: hãy chọn một Python ở trang Máy.</translation>
    </message>
    <message>
      <source>The machine shown is that of the plan: press Refresh on the page Machine first.</source>
      <translation>Máy đang hiện là máy của kế hoạch: trước hết hãy bấm Làm mới ở trang Máy.</translation>
    </message>
    <message>
      <source>The result counts in this plan but could not be kept for the next start.</source>
      <translation>Kết quả được tính trong kế hoạch này nhưng không lưu được cho lần khởi động sau.</translation>
    </message>
  </context>
  <context>
    <name>BenchmarkPage</name>
    <message>
      <source>&amp;Cancel</source>
      <translation>Hủ&amp;y</translation>
    </message>
    <message>
      <source>&amp;Run benchmark</source>
      <translation>&amp;Chạy benchmark</translation>
    </message>
    <message>
      <source>Benchmark</source>
      <translation>Benchmark</translation>
    </message>
    <message>
      <source>Ctrl+B</source>
      <translation>Ctrl+B</translation>
    </message>
    <message>
      <source>Last result</source>
      <translation>Kết quả gần nhất</translation>
    </message>
    <message>
      <source>Looking for a Python with PyTorch…</source>
      <translation>Đang tìm một Python có PyTorch…</translation>
    </message>
    <message>
      <source>Measures this machine, so that its numbers need no data sheet. Nothing leaves it.</source>
      <translation>Đo máy này để các con số của nó không phải lấy từ bảng thông số. Không có gì rời khỏi máy.</translation>
    </message>
    <message>
      <source>No Python here can run the benchmark: choose one on the page Machine. Planning works without.</source>
      <translation>Ở đây không có Python nào chạy được benchmark: hãy chọn một Python ở trang Máy. Vẫn lập kế hoạch được mà không cần nó.</translation>
    </message>
    <message>
      <source>Not measured yet. Until then the plan takes the data sheet's word.</source>
      <translation>Chưa đo. Trước khi đo, kế hoạch tin vào bảng thông số.</translation>
    </message>
    <message>
      <source>Progress of the benchmark</source>
      <translation>Tiến độ của benchmark</translation>
    </message>
    <message>
      <source>Results of the benchmark</source>
      <translation>Kết quả của benchmark</translation>
    </message>
    <message>
      <source>Run the benchmark</source>
      <translation>Chạy benchmark</translation>
    </message>
    <message>
      <source>Runs in {0} with torch {1}.</source>
      <translation>Chạy bằng {0} với torch {1}.</translation>
    </message>
    <message>
      <source>Stopping…</source>
      <translation>Đang dừng…</translation>
    </message>
    <message>
      <source>Stops within two seconds</source>
      <translation>Dừng trong vòng hai giây</translation>
    </message>
    <message>
      <source>This torch cannot use the GPU, so the processor is measured.</source>
      <translation>Bản torch này không dùng được GPU nên sẽ đo bộ xử lý.</translation>
    </message>
    <message>
      <source>the processor</source>
      <translation>bộ xử lý</translation>
    </message>
    <message>
      <source>{0} elapsed</source>
      <translation>đã qua {0}</translation>
    </message>
    <message>
      <source>{0}, about {1} left</source>
      <translation>{0}, còn khoảng {1}</translation>
    </message>
    <message>
      <source>{0}, {1}, torch {2}, {3}.</source>
      <translation>{0}, {1}, torch {2}, {3}.</translation>
    </message>
  </context>
  <context>
    <name>ChartCard</name>
    <message>
      <source>Copy or save</source>
      <translation>Chép hoặc lưu</translation>
    </message>
    <message>
      <source>Copy the table</source>
      <translation>Chép bảng</translation>
    </message>
    <message>
      <source>Save as PNG…</source>
      <translation>Lưu dạng PNG…</translation>
    </message>
    <message>
      <source>Save as SVG…</source>
      <translation>Lưu dạng SVG…</translation>
    </message>
    <message>
      <source>Save chart</source>
      <translation>Lưu biểu đồ</translation>
    </message>
    <message>
      <source>Save the table as CSV…</source>
      <translation>Lưu bảng dạng CSV…</translation>
    </message>
    <message>
      <source>Show the numbers as a table</source>
      <translation>Hiện các con số thành bảng</translation>
    </message>
    <message>
      <source>Table</source>
      <translation>Bảng</translation>
    </message>
    <message>
      <source>Written: {0}</source>
      <translation>Đã ghi: {0}</translation>
    </message>
    <message>
      <source>{0}: copy or save</source>
      <translation>{0}: chép hoặc lưu</translation>
    </message>
    <message>
      <source>{0}: show as a table</source>
      <translation>{0}: hiện thành bảng</translation>
    </message>
  </context>
  <context>
    <name>CheckCard</name>
    <message>
      <source>Checks</source>
      <translation>Kiểm tra</translation>
    </message>
    <message>
      <source>Not looked at yet.</source>
      <translation>Chưa dò.</translation>
    </message>
    <message>
      <source>failed</source>
      <translation>không đạt</translation>
    </message>
    <message>
      <source>fine</source>
      <translation>tốt</translation>
    </message>
    <message>
      <source>not known</source>
      <translation>chưa biết</translation>
    </message>
    <message>
      <source>not needed</source>
      <translation>không cần</translation>
    </message>
  </context>
  <context>
    <name>CompareDialog</name>
    <message>
      <source>&amp;Close</source>
      <translation>Đón&amp;g</translation>
    </message>
    <message>
      <source>Co&amp;py the table</source>
      <translation>&amp;Chép bảng</translation>
    </message>
    <message>
      <source>Key numbers of both plans</source>
      <translation>Các con số chính của hai kế hoạch</translation>
    </message>
    <message>
      <source>This plan</source>
      <translation>Kế hoạch này</translation>
    </message>
    <message>
      <source>What differs in the inputs</source>
      <translation>Dữ liệu vào khác nhau ở đâu</translation>
    </message>
    <message>
      <source>and {0} more</source>
      <translation>và {0} chỗ khác nữa</translation>
    </message>
    <message>
      <source>{0} and this plan</source>
      <translation>{0} và kế hoạch này</translation>
    </message>
  </context>
  <context>
    <name>ComparePlans</name>
    <message>
      <source>Compare with plan</source>
      <translation>So sánh với kế hoạch</translation>
    </message>
    <message>
      <source>Plans and reports (*.json *.pdf)</source>
      <translation>Kế hoạch và báo cáo (*.json *.pdf)</translation>
    </message>
    <message>
      <source>The form has problems: correct the marked fields on the page Workload, then compare.</source>
      <translation>Biểu mẫu có chỗ sai: hãy sửa các ô được đánh dấu ở trang Công việc rồi so sánh.</translation>
    </message>
    <message>
      <source>{0} could not be compared: it is no plan, or one that cannot be planned here.</source>
      <translation>Không so sánh được {0}: nó không phải kế hoạch, hoặc không lập được ở đây.</translation>
    </message>
  </context>
  <context>
    <name>DetectController</name>
    <message>
      <source>This machine could not be looked at. Try Refresh; planning works without it.</source>
      <translation>Không dò được máy này. Hãy thử Làm mới; vẫn lập kế hoạch được mà không cần nó.</translation>
    </message>
  </context>
  <context>
    <name>Fault</name>
    <message>
      <source>Something went wrong in the program. What you typed is kept; you can go on working.</source>
      <translation>Chương trình gặp lỗi. Những gì bạn nhập vẫn được giữ; bạn có thể làm việc tiếp.</translation>
    </message>
  </context>
  <context>
    <name>FieldRow</name>
    <message>
      <source>assumed</source>
      <translation>giả định</translation>
    </message>
  </context>
  <context>
    <name>Form</name>
    <message>
      <source>amp – bf16 mixed</source>
      <translation>amp – hỗn hợp bf16</translation>
    </message>
    <message>
      <source>amp – fp16 mixed</source>
      <translation>amp – hỗn hợp fp16</translation>
    </message>
    <message>
      <source>bf16 – pure</source>
      <translation>bf16 – thuần</translation>
    </message>
    <message>
      <source>fp32 – single</source>
      <translation>fp32 – đơn</translation>
    </message>
    <message>
      <source>tf32 – tensor cores</source>
      <translation>tf32 – tensor core</translation>
    </message>
  </context>
  <context>
    <name>GpuCard</name>
    <message>
      <source>&amp;Train on</source>
      <translation>H&amp;uấn luyện trên</translation>
    </message>
    <message>
      <source>Driver {0}, CUDA up to {1}</source>
      <translation>Driver {0}, CUDA đến {1}</translation>
    </message>
    <message>
      <source>GPU to train on</source>
      <translation>GPU để huấn luyện</translation>
    </message>
    <message>
      <source>Graphics cards</source>
      <translation>Card đồ họa</translation>
    </message>
    <message>
      <source>Looking at the graphics cards…</source>
      <translation>Đang dò card đồ họa…</translation>
    </message>
    <message>
      <source>No GPU was found here. You can still describe the job and compare rented GPUs; the benchmark then measures the processor.</source>
      <translation>Không tìm thấy GPU ở đây. Bạn vẫn có thể mô tả công việc và so sánh các GPU thuê; khi đó benchmark đo bộ xử lý.</translation>
    </message>
    <message>
      <source>Readings of every GPU</source>
      <translation>Số đọc của từng GPU</translation>
    </message>
  </context>
  <context>
    <name>GpuModel</name>
    <message>
      <source>Bus address</source>
      <translation>Địa chỉ bus</translation>
    </message>
    <message>
      <source>Clock, core / memory</source>
      <translation>Xung nhịp, lõi / bộ nhớ</translation>
    </message>
    <message>
      <source>Compute capability</source>
      <translation>Compute capability</translation>
    </message>
    <message>
      <source>Computing processes</source>
      <translation>Tiến trình đang tính</translation>
    </message>
    <message>
      <source>Drives a display</source>
      <translation>Nối màn hình</translation>
    </message>
    <message>
      <source>Memory, total / free</source>
      <translation>Bộ nhớ, tổng / trống</translation>
    </message>
    <message>
      <source>PCIe link, now / best</source>
      <translation>PCIe, hiện tại / tối đa</translation>
    </message>
    <message>
      <source>Power draw</source>
      <translation>Công suất đang dùng</translation>
    </message>
    <message>
      <source>Power limit / default</source>
      <translation>Giới hạn / mặc định</translation>
    </message>
    <message>
      <source>Reading</source>
      <translation>Số đọc</translation>
    </message>
    <message>
      <source>State</source>
      <translation>Trạng thái</translation>
    </message>
    <message>
      <source>Temperature</source>
      <translation>Nhiệt độ</translation>
    </message>
    <message>
      <source>UUID</source>
      <translation>UUID</translation>
    </message>
    <message>
      <source>Utilisation</source>
      <translation>Mức sử dụng</translation>
    </message>
    <message>
      <source>answers</source>
      <translation>có trả lời</translation>
    </message>
    <message>
      <source>lost: the driver stopped answering</source>
      <translation>đã mất: driver không còn trả lời</translation>
    </message>
    <message>
      <source>no</source>
      <translation>không</translation>
    </message>
    <message>
      <source>yes</source>
      <translation>có</translation>
    </message>
  </context>
  <context>
    <name>HostCard</name>
    <message>
      <source> (WSL)</source>
      <translation> (WSL)</translation>
    </message>
    <message>
      <source>Computer</source>
      <translation>Máy tính</translation>
    </message>
    <message>
      <source>Cores</source>
      <translation>Số nhân</translation>
    </message>
    <message>
      <source>Disk</source>
      <translation>Ổ đĩa</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Bộ nhớ</translation>
    </message>
    <message>
      <source>Power</source>
      <translation>Nguồn điện</translation>
    </message>
    <message>
      <source>Processor</source>
      <translation>Bộ xử lý</translation>
    </message>
    <message>
      <source>System</source>
      <translation>Hệ điều hành</translation>
    </message>
    <message>
      <source>no battery, or not known</source>
      <translation>không có pin, hoặc chưa biết</translation>
    </message>
    <message>
      <source>on battery{0}: plug in before you measure</source>
      <translation>đang dùng pin{0}: hãy cắm điện trước khi đo</translation>
    </message>
    <message>
      <source>plugged in{0}</source>
      <translation>đang cắm điện{0}</translation>
    </message>
    <message>
      <source>{0} (physical / logical)</source>
      <translation>{0} (vật lý / logic)</translation>
    </message>
    <message>
      <source>{0}, {1} free</source>
      <translation>{0}, trống {1}</translation>
    </message>
  </context>
  <context>
    <name>JobLine</name>
    <message>
      <source>Cancel</source>
      <translation>Hủy</translation>
    </message>
    <message>
      <source>Progress</source>
      <translation>Tiến độ</translation>
    </message>
    <message>
      <source>Stop what runs now</source>
      <translation>Dừng việc đang chạy</translation>
    </message>
  </context>
  <context>
    <name>LogView</name>
    <message>
      <source>Close the log</source>
      <translation>Đóng nhật ký</translation>
    </message>
    <message>
      <source>Copy the log</source>
      <translation>Chép nhật ký</translation>
    </message>
    <message>
      <source>Log since the start</source>
      <translation>Nhật ký từ lúc khởi động</translation>
    </message>
  </context>
  <context>
    <name>LookCard</name>
    <message>
      <source>&amp;Choose a logo…</source>
      <translation>Chọn l&amp;ogo…</translation>
    </message>
    <message>
      <source>Choose a logo</source>
      <translation>Chọn logo</translation>
    </message>
    <message>
      <source>Comment</source>
      <translation>Ghi chú</translation>
    </message>
    <message>
      <source>Comment on “{0}”</source>
      <translation>Ghi chú cho “{0}”</translation>
    </message>
    <message>
      <source>Everything</source>
      <translation>Tất cả</translation>
    </message>
    <message>
      <source>Fo&amp;rm</source>
      <translation>Độ &amp;dài</translation>
    </message>
    <message>
      <source>Look</source>
      <translation>Trình bày</translation>
    </message>
    <message>
      <source>Paper si&amp;ze</source>
      <translation>Khổ g&amp;iấy</translation>
    </message>
    <message>
      <source>Pictures (*.png *.jpg *.jpeg)</source>
      <translation>Hình ảnh (*.png *.jpg *.jpeg)</translation>
    </message>
    <message>
      <source>Printed at the foot of every page</source>
      <translation>In ở chân mỗi trang</translation>
    </message>
    <message>
      <source>Remove the logo</source>
      <translation>Bỏ logo</translation>
    </message>
    <message>
      <source>Sect&amp;ions</source>
      <translation>Các phần in r&amp;a</translation>
    </message>
    <message>
      <source>Sections of the report</source>
      <translation>Các phần của báo cáo</translation>
    </message>
    <message>
      <source>Short</source>
      <translation>Ngắn gọn</translation>
    </message>
    <message>
      <source>Tea&amp;m</source>
      <translation>&amp;Nhóm</translation>
    </message>
    <message>
      <source>Team</source>
      <translation>Nhóm</translation>
    </message>
  </context>
  <context>
    <name>MachinePage</name>
    <message>
      <source>&amp;Refresh</source>
      <translation>&amp;Làm mới</translation>
    </message>
    <message>
      <source>Look again (F5)</source>
      <translation>Dò lại (F5)</translation>
    </message>
    <message>
      <source>Looking…</source>
      <translation>Đang dò…</translation>
    </message>
    <message>
      <source>This machine</source>
      <translation>Máy này</translation>
    </message>
    <message>
      <source>What is built in, and whether it is ready to be measured.</source>
      <translation>Trong máy có gì, và đã sẵn sàng để đo chưa.</translation>
    </message>
  </context>
  <context>
    <name>MainWindow</name>
    <message>
      <source>&amp;Actions</source>
      <translation>T&amp;hao tác</translation>
    </message>
    <message>
      <source>&amp;As the system</source>
      <translation>Theo &amp;hệ thống</translation>
    </message>
    <message>
      <source>&amp;Benchmark</source>
      <translation>&amp;Benchmark</translation>
    </message>
    <message>
      <source>&amp;Cancel the benchmark</source>
      <translation>&amp;Hủy benchmark</translation>
    </message>
    <message>
      <source>&amp;Compare with plan…</source>
      <translation>&amp;So sánh với kế hoạch…</translation>
    </message>
    <message>
      <source>&amp;Dark</source>
      <translation>&amp;Tối</translation>
    </message>
    <message>
      <source>&amp;Duplicate plan</source>
      <translation>&amp;Nhân bản kế hoạch</translation>
    </message>
    <message>
      <source>&amp;Edit</source>
      <translation>&amp;Sửa</translation>
    </message>
    <message>
      <source>&amp;File</source>
      <translation>&amp;Tệp</translation>
    </message>
    <message>
      <source>&amp;Help</source>
      <translation>Trợ &amp;giúp</translation>
    </message>
    <message>
      <source>&amp;Import a model's config.json…</source>
      <translation>Nhập &amp;config.json của một mô hình…</translation>
    </message>
    <message>
      <source>&amp;Keyboard shortcuts</source>
      <translation>&amp;Phím tắt</translation>
    </message>
    <message>
      <source>&amp;Language (Ngôn ngữ)</source>
      <translation>&amp;Ngôn ngữ (Language)</translation>
    </message>
    <message>
      <source>&amp;Log since the start</source>
      <translation>&amp;Nhật ký từ lúc khởi động</translation>
    </message>
    <message>
      <source>&amp;Look at this machine again</source>
      <translation>&amp;Dò lại máy này</translation>
    </message>
    <message>
      <source>&amp;New plan</source>
      <translation>&amp;Kế hoạch mới</translation>
    </message>
    <message>
      <source>&amp;Open plan…</source>
      <translation>&amp;Mở kế hoạch…</translation>
    </message>
    <message>
      <source>&amp;Quit</source>
      <translation>Th&amp;oát</translation>
    </message>
    <message>
      <source>&amp;Redo</source>
      <translation>&amp;Làm lại</translation>
    </message>
    <message>
      <source>&amp;Sample plan</source>
      <translation>Kế hoạch &amp;mẫu</translation>
    </message>
    <message>
      <source>&amp;Save plan</source>
      <translation>&amp;Lưu kế hoạch</translation>
    </message>
    <message>
      <source>&amp;Tour</source>
      <translation>&amp;Hướng dẫn nhanh</translation>
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation>&amp;Hoàn tác</translation>
    </message>
    <message>
      <source>&amp;View</source>
      <translation>&amp;Xem</translation>
    </message>
    <message>
      <source>Accuracy</source>
      <translation>Độ chính xác</translation>
    </message>
    <message>
      <source>Alt + the underlined letter	its field or button</source>
      <translation>Alt + chữ gạch chân	ô hoặc nút của nó</translation>
    </message>
    <message>
      <source>Answer</source>
      <translation>Câu trả lời</translation>
    </message>
    <message>
      <source>Benchmark</source>
      <translation>Benchmark</translation>
    </message>
    <message>
      <source>Benchmark runs…</source>
      <translation>Benchmark đang chạy…</translation>
    </message>
    <message>
      <source>Colours of the s&amp;ystem</source>
      <translation>Màu theo &amp;hệ thống</translation>
    </message>
    <message>
      <source>Configurations (*.json)</source>
      <translation>Cấu hình (*.json)</translation>
    </message>
    <message>
      <source>Every action has a key: the list is in the details.</source>
      <translation>Thao tác nào cũng có phím: danh sách ở phần chi tiết.</translation>
    </message>
    <message>
      <source>Export &amp;HTML…</source>
      <translation>Xuất &amp;HTML…</translation>
    </message>
    <message>
      <source>Export &amp;PDF…</source>
      <translation>Xuất &amp;PDF…</translation>
    </message>
    <message>
      <source>Export HTML</source>
      <translation>Xuất HTML</translation>
    </message>
    <message>
      <source>Export PDF</source>
      <translation>Xuất PDF</translation>
    </message>
    <message>
      <source>F5	Refresh, on the page Machine</source>
      <translation>F5	Làm mới, ở trang Máy</translation>
    </message>
    <message>
      <source>Forget these files</source>
      <translation>Quên các tệp này</translation>
    </message>
    <message>
      <source>HTML (*.html)</source>
      <translation>HTML (*.html)</translation>
    </message>
    <message>
      <source>Import a model</source>
      <translation>Nhập mô hình</translation>
    </message>
    <message>
      <source>Li&amp;ght</source>
      <translation>&amp;Sáng</translation>
    </message>
    <message>
      <source>Looking at this machine…</source>
      <translation>Đang dò máy này…</translation>
    </message>
    <message>
      <source>Machine</source>
      <translation>Máy</translation>
    </message>
    <message>
      <source>No plan was opened or saved yet</source>
      <translation>Chưa mở hay lưu kế hoạch nào</translation>
    </message>
    <message>
      <source>Open &amp;recent</source>
      <translation>Mở &amp;gần đây</translation>
    </message>
    <message>
      <source>Open plan</source>
      <translation>Mở kế hoạch</translation>
    </message>
    <message>
      <source>PDF (*.pdf)</source>
      <translation>PDF (*.pdf)</translation>
    </message>
    <message>
      <source>Plans (*.json)</source>
      <translation>Kế hoạch (*.json)</translation>
    </message>
    <message>
      <source>Reading prices…</source>
      <translation>Đang đọc giá…</translation>
    </message>
    <message>
      <source>Report</source>
      <translation>Báo cáo</translation>
    </message>
    <message>
      <source>Save plan</source>
      <translation>Lưu kế hoạch</translation>
    </message>
    <message>
      <source>Save plan &amp;as…</source>
      <translation>Lưu kế hoạch &amp;thành…</translation>
    </message>
    <message>
      <source>Tracing the model…</source>
      <translation>Đang phân tích mô hình…</translation>
    </message>
    <message>
      <source>Workload</source>
      <translation>Công việc</translation>
    </message>
    <message>
      <source>Writing the report…</source>
      <translation>Đang ghi báo cáo…</translation>
    </message>
    <message>
      <source>{0} is not a model's config.json: it has neither model_type nor architectures.</source>
      <translation>{0} không phải là config.json của một mô hình: nó không có model_type lẫn architectures.</translation>
    </message>
  </context>
  <context>
    <name>MemoryLine</name>
    <message>
      <source>Changes that take less memory</source>
      <translation>Các thay đổi tốn ít bộ nhớ hơn</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Bộ nhớ</translation>
    </message>
    <message>
      <source>Nothing known here makes it take less.</source>
      <translation>Không có cách nào được biết ở đây làm nó tốn ít hơn.</translation>
    </message>
    <message>
      <source>RAM of the host: {0}.</source>
      <translation>RAM của máy: {0}.</translation>
    </message>
    <message>
      <source>Take less…</source>
      <translation>Giảm bớt…</translation>
    </message>
    <message>
      <source>not known yet</source>
      <translation>chưa biết</translation>
    </message>
    <message>
      <source>{0}: needs {1} of {2} per GPU; largest part: {3}. Largest batch per GPU: {4}.</source>
      <translation>{0}: cần {1} trên {2} mỗi GPU; thành phần lớn nhất: {3}. Batch lớn nhất mỗi GPU: {4}.</translation>
    </message>
  </context>
  <context>
    <name>MessageBar</name>
    <message>
      <source>Copy details</source>
      <translation>Chép chi tiết</translation>
    </message>
    <message>
      <source>Details</source>
      <translation>Chi tiết</translation>
    </message>
    <message>
      <source>Dismiss</source>
      <translation>Bỏ qua</translation>
    </message>
    <message>
      <source>Error</source>
      <translation>Lỗi</translation>
    </message>
    <message>
      <source>Information</source>
      <translation>Thông tin</translation>
    </message>
    <message>
      <source>Warning</source>
      <translation>Cảnh báo</translation>
    </message>
  </context>
  <context>
    <name>ModelsController</name>
    <message>
      <source>This model could not be traced. The last answer stays.</source>
      <translation>Không phân tích được mô hình này. Câu trả lời gần nhất vẫn giữ nguyên.</translation>
    </message>
  </context>
  <context>
    <name>OfferChangesDialog</name>
    <message>
      <source>&amp;Leave everything as it is</source>
      <translation>&amp;Giữ nguyên tất cả</translation>
    </message>
    <message>
      <source>&amp;Take these prices</source>
      <translation>&amp;Nhận các giá này</translation>
    </message>
    <message>
      <source>Before</source>
      <translation>Trước</translation>
    </message>
    <message>
      <source>Change</source>
      <translation>Thay đổi</translation>
    </message>
    <message>
      <source>Changes to the prices</source>
      <translation>Thay đổi trong bảng giá</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>Loại</translation>
    </message>
    <message>
      <source>Now</source>
      <translation>Bây giờ</translation>
    </message>
    <message>
      <source>Package</source>
      <translation>Gói</translation>
    </message>
    <message>
      <source>Provider</source>
      <translation>Nhà cung cấp</translation>
    </message>
    <message>
      <source>What</source>
      <translation>Điều gì</translation>
    </message>
    <message>
      <source>changed</source>
      <translation>đã đổi</translation>
    </message>
    <message>
      <source>new</source>
      <translation>mới</translation>
    </message>
    <message>
      <source>same price, newer</source>
      <translation>giá cũ, ngày mới hơn</translation>
    </message>
    <message>
      <source>{0} offers would change or be new. Nothing is replaced before you take them.</source>
      <translation>{0} mức giá sẽ đổi hoặc là mới. Chưa thay gì trước khi bạn nhận.</translation>
    </message>
  </context>
  <context>
    <name>OffersCard</name>
    <message>
      <source>&amp;Import…</source>
      <translation>&amp;Nhập…</translation>
    </message>
    <message>
      <source>&amp;Stop</source>
      <translation>&amp;Dừng</translation>
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation>H&amp;oàn tác</translation>
    </message>
    <message>
      <source>0.86 EUR, 26300 VND</source>
      <translation>0.86 EUR, 26300 VND</translation>
    </message>
    <message>
      <source>Asking {0}, {1} of {2}…</source>
      <translation>Đang hỏi {0}, {1} trên {2}…</translation>
    </message>
    <message>
      <source>Bring the last table back</source>
      <translation>Lấy lại bảng trước đó</translation>
    </message>
    <message>
      <source>Exchange rates: what one US dollar buys</source>
      <translation>Tỉ giá: một đô la Mỹ đổi được bao nhiêu</translation>
    </message>
    <message>
      <source>Fetch pri&amp;ces</source>
      <translation>&amp;Lấy giá mới</translation>
    </message>
    <message>
      <source>Filter the prices</source>
      <translation>Lọc giá</translation>
    </message>
    <message>
      <source>Filter: provider, kind, source…</source>
      <translation>Lọc: nhà cung cấp, loại, nguồn…</translation>
    </message>
    <message>
      <source>From gpuhunt's catalogues on the internet; nothing is sent, nothing replaced unasked</source>
      <translation>Từ danh mục của gpuhunt trên internet; không gửi gì đi, không tự thay gì</translation>
    </message>
    <message>
      <source>Import prices</source>
      <translation>Nhập giá</translation>
    </message>
    <message>
      <source>Offers</source>
      <translation>Bảng giá</translation>
    </message>
    <message>
      <source>One US dollar buys</source>
      <translation>Một đô la Mỹ đổi được</translation>
    </message>
    <message>
      <source>Prices</source>
      <translation>Bảng giá</translation>
    </message>
    <message>
      <source>Prices from gpuhunt's or SkyPilot's catalogue, or from a CSV or JSON table of your own</source>
      <translation>Giá từ danh mục của gpuhunt hoặc SkyPilot, hoặc từ bảng CSV hay JSON của riêng bạn</translation>
    </message>
    <message>
      <source>RTX 3090 only</source>
      <translation>Chỉ RTX 3090</translation>
    </message>
    <message>
      <source>Reading prices…</source>
      <translation>Đang đọc giá…</translation>
    </message>
    <message>
      <source>Tables of prices (*.csv *.json);;All files (*)</source>
      <translation>Bảng giá (*.csv *.json);;Mọi tệp (*)</translation>
    </message>
    <message>
      <source>iRender sells packages of 1, 2, 4 and 6 cards and wants to be asked: type your quote into the column Price per hour, in USD or as in 60000 VND. Until then other offers give the range. Prices move weekly: older than 14 days is stale. Columns with ✎ can be edited.</source>
      <translation>iRender bán các gói 1, 2, 4 và 6 card và muốn được hỏi giá: hãy nhập báo giá của bạn vào cột Giá mỗi giờ, bằng USD hoặc như 60000 VND. Trước đó khoảng giá lấy từ các nơi khác. Giá đổi hằng tuần: quá 14 ngày là cũ. Các cột có ✎ sửa được.</translation>
    </message>
    <message>
      <source>typed by you</source>
      <translation>bạn nhập</translation>
    </message>
  </context>
  <context>
    <name>OffersController</name>
    <message>
      <source>No prices could be fetched. Your prices are unchanged.</source>
      <translation>Không lấy được giá nào. Bảng giá của bạn giữ nguyên.</translation>
    </message>
    <message>
      <source>Some prices could not be used and were left out.</source>
      <translation>Một số giá không dùng được và đã bị bỏ qua.</translation>
    </message>
    <message>
      <source>These prices are in the table already.</source>
      <translation>Các giá này đã có trong bảng.</translation>
    </message>
    <message>
      <source>{0} could not be used. Your prices are unchanged.</source>
      <translation>Không dùng được {0}. Bảng giá của bạn giữ nguyên.</translation>
    </message>
  </context>
  <context>
    <name>OffersModel</name>
    <message>
      <source>Billing step, min ✎</source>
      <translation>Bước tính tiền, phút ✎</translation>
    </message>
    <message>
      <source>Discount ✎</source>
      <translation>Giảm giá ✎</translation>
    </message>
    <message>
      <source>Disk, GB ✎</source>
      <translation>Ổ đĩa, GB ✎</translation>
    </message>
    <message>
      <source>Egress, USD/GB ✎</source>
      <translation>Tải xuống, USD/GB ✎</translation>
    </message>
    <message>
      <source>GPU</source>
      <translation>GPU</translation>
    </message>
    <message>
      <source>GPUs</source>
      <translation>Số GPU</translation>
    </message>
    <message>
      <source>Interconnect ✎</source>
      <translation>Kết nối GPU ✎</translation>
    </message>
    <message>
      <source>Kind</source>
      <translation>Loại</translation>
    </message>
    <message>
      <source>Least, min ✎</source>
      <translation>Tối thiểu, phút ✎</translation>
    </message>
    <message>
      <source>OS ✎</source>
      <translation>Hệ điều hành ✎</translation>
    </message>
    <message>
      <source>Per GPU and hour</source>
      <translation>Mỗi GPU mỗi giờ</translation>
    </message>
    <message>
      <source>Points ✎</source>
      <translation>Điểm ✎</translation>
    </message>
    <message>
      <source>Price of</source>
      <translation>Giá ngày</translation>
    </message>
    <message>
      <source>Price per hour ✎</source>
      <translation>Giá mỗi giờ ✎</translation>
    </message>
    <message>
      <source>Provider</source>
      <translation>Nhà cung cấp</translation>
    </message>
    <message>
      <source>RAM, GB ✎</source>
      <translation>RAM, GB ✎</translation>
    </message>
    <message>
      <source>Region ✎</source>
      <translation>Vùng ✎</translation>
    </message>
    <message>
      <source>Source</source>
      <translation>Nguồn</translation>
    </message>
    <message>
      <source>Start, min ✎</source>
      <translation>Khởi động, phút ✎</translation>
    </message>
    <message>
      <source>Storage, USD/GB and month ✎</source>
      <translation>Lưu trữ, USD/GB mỗi tháng ✎</translation>
    </message>
    <message>
      <source>Upload billed ✎</source>
      <translation>Tính tiền tải lên ✎</translation>
    </message>
    <message>
      <source>ask for quote</source>
      <translation>hỏi giá</translation>
    </message>
    <message>
      <source>typed by you</source>
      <translation>bạn nhập</translation>
    </message>
    <message>
      <source>vCPUs ✎</source>
      <translation>vCPU ✎</translation>
    </message>
    <message>
      <source>{0} – stale</source>
      <translation>{0} – cũ</translation>
    </message>
  </context>
  <context>
    <name>Options</name>
    <message>
      <source>Best in</source>
      <translation>Tốt nhất trong</translation>
    </message>
    <message>
      <source>Cost</source>
      <translation>Chi phí</translation>
    </message>
    <message>
      <source>Memory</source>
      <translation>Bộ nhớ</translation>
    </message>
    <message>
      <source>On time</source>
      <translation>Kịp hạn</translation>
    </message>
    <message>
      <source>Option</source>
      <translation>Phương án</translation>
    </message>
    <message>
      <source>Speed-up</source>
      <translation>Mức tăng tốc</translation>
    </message>
    <message>
      <source>State</source>
      <translation>Trạng thái</translation>
    </message>
    <message>
      <source>Time to the result</source>
      <translation>Thời gian có kết quả</translation>
    </message>
    <message>
      <source>recommended</source>
      <translation>khuyến nghị</translation>
    </message>
    <message>
      <source>ruled out</source>
      <translation>bị loại</translation>
    </message>
    <message>
      <source>runner-up</source>
      <translation>phương án nhì</translation>
    </message>
  </context>
  <context>
    <name>PlanController</name>
    <message>
      <source>A sample: a vision model to be trained within two days. Edit ▸ Undo brings your plan back.</source>
      <translation>Kế hoạch mẫu: huấn luyện một mô hình ảnh trong hai ngày. Sửa ▸ Hoàn tác đưa kế hoạch của bạn trở lại.</translation>
    </message>
    <message>
      <source>Opened {0}. Machine, benchmark and prices are those of the plan; Refresh looks at this one.</source>
      <translation>Đã mở {0}. Máy, benchmark và giá là của kế hoạch đó; Làm mới sẽ dò máy này.</translation>
    </message>
    <message>
      <source>Planning could not be started: a part of the program is missing or damaged.</source>
      <translation>Không khởi động được phần lập kế hoạch: một phần của chương trình bị thiếu hoặc hỏng.</translation>
    </message>
    <message>
      <source>Saved {0}.</source>
      <translation>Đã lưu {0}.</translation>
    </message>
    <message>
      <source>The exchange rates count in this plan but could not be kept for the next start.</source>
      <translation>Tỉ giá được tính trong kế hoạch này nhưng không lưu được cho lần khởi động sau.</translation>
    </message>
    <message>
      <source>The form has problems: correct the marked fields on the page Workload, then save.</source>
      <translation>Biểu mẫu có chỗ sai: hãy sửa các ô được đánh dấu ở trang Công việc rồi lưu.</translation>
    </message>
    <message>
      <source>The numbers differ from those saved: this version of the program predicts differently.</source>
      <translation>Các con số khác với khi lưu: phiên bản này của chương trình dự đoán khác.</translation>
    </message>
    <message>
      <source>The plan file was edited outside GPU Planner after it was saved.</source>
      <translation>Tệp kế hoạch đã bị sửa bên ngoài GPU Planner sau khi lưu.</translation>
    </message>
    <message>
      <source>The prices count in this plan but could not be kept for the next start.</source>
      <translation>Giá được tính trong kế hoạch này nhưng không lưu được cho lần khởi động sau.</translation>
    </message>
    <message>
      <source>You now work on a copy without a file. The plan it came from stays as it was saved.</source>
      <translation>Giờ bạn làm việc trên một bản sao chưa có tệp. Kế hoạch gốc vẫn như khi được lưu.</translation>
    </message>
    <message>
      <source>Your table of prices could not be read, so the shipped one is used. It is set aside, not lost, when you type a price.</source>
      <translation>Không đọc được bảng giá của bạn nên dùng bảng đi kèm. Khi bạn nhập giá, bảng cũ được cất riêng chứ không mất.</translation>
    </message>
    <message>
      <source>{0} could not be opened. Your plan here is unchanged.</source>
      <translation>Không mở được {0}. Kế hoạch của bạn ở đây giữ nguyên.</translation>
    </message>
  </context>
  <context>
    <name>PresentationController</name>
    <message>
      <source>{0} was not taken as a logo.</source>
      <translation>Không dùng {0} làm logo được.</translation>
    </message>
  </context>
  <context>
    <name>PresetsCard</name>
    <message>
      <source>Model</source>
      <translation>Mô hình</translation>
    </message>
    <message>
      <source>Models</source>
      <translation>Mô hình</translation>
    </message>
    <message>
      <source>Search the models</source>
      <translation>Tìm mô hình</translation>
    </message>
    <message>
      <source>Search: resnet, bert, language…</source>
      <translation>Tìm: resnet, bert, ngôn ngữ…</translation>
    </message>
    <message>
      <source>Usual data: {0}, {1} samples.</source>
      <translation>Dữ liệu thường dùng: {0}, {1} mẫu.</translation>
    </message>
  </context>
  <context>
    <name>Progress</name>
    <message>
      <source>1 GPU</source>
      <translation>1 GPU</translation>
    </message>
    <message>
      <source>1 problem</source>
      <translation>1 chỗ sai</translation>
    </message>
    <message>
      <source>a GPU is lost</source>
      <translation>một GPU đã mất</translation>
    </message>
    <message>
      <source>assumptions</source>
      <translation>giả định</translation>
    </message>
    <message>
      <source>described</source>
      <translation>đã mô tả</translation>
    </message>
    <message>
      <source>machine changed</source>
      <translation>máy đã thay đổi</translation>
    </message>
    <message>
      <source>measured</source>
      <translation>đã đo</translation>
    </message>
    <message>
      <source>no GPU</source>
      <translation>không có GPU</translation>
    </message>
    <message>
      <source>no answer yet</source>
      <translation>chưa trả lời</translation>
    </message>
    <message>
      <source>not looked at</source>
      <translation>chưa dò</translation>
    </message>
    <message>
      <source>not measured</source>
      <translation>chưa đo</translation>
    </message>
    <message>
      <source>not saved</source>
      <translation>chưa lưu</translation>
    </message>
    <message>
      <source>out of date</source>
      <translation>đã cũ</translation>
    </message>
    <message>
      <source>processor only</source>
      <translation>chỉ bộ xử lý</translation>
    </message>
    <message>
      <source>published runs</source>
      <translation>số đã công bố</translation>
    </message>
    <message>
      <source>up to date</source>
      <translation>mới nhất</translation>
    </message>
    <message>
      <source>working…</source>
      <translation>đang chạy…</translation>
    </message>
    <message>
      <source>{0} GPUs</source>
      <translation>{0} GPU</translation>
    </message>
    <message>
      <source>{0} problems</source>
      <translation>{0} chỗ sai</translation>
    </message>
  </context>
  <context>
    <name>PythonCard</name>
    <message>
      <source>&amp;Browse…</source>
      <translation>&amp;Duyệt…</translation>
    </message>
    <message>
      <source>Choose a python program</source>
      <translation>Chọn một chương trình python</translation>
    </message>
    <message>
      <source>Choose another python program</source>
      <translation>Chọn một chương trình python khác</translation>
    </message>
    <message>
      <source>Looking for Pythons…</source>
      <translation>Đang tìm các Python…</translation>
    </message>
    <message>
      <source>None found</source>
      <translation>Không tìm thấy</translation>
    </message>
    <message>
      <source>Python for the benchmark</source>
      <translation>Python cho benchmark</translation>
    </message>
    <message>
      <source>Python that runs the benchmark</source>
      <translation>Python chạy benchmark</translation>
    </message>
    <message>
      <source>Pythons are tried in the background; this can take half a minute.</source>
      <translation>Các Python đang được thử ở nền; có thể mất nửa phút.</translation>
    </message>
    <message>
      <source>no torch</source>
      <translation>không có torch</translation>
    </message>
    <message>
      <source>{0} can use the processor only.</source>
      <translation>{0} chỉ dùng được bộ xử lý.</translation>
    </message>
    <message>
      <source>{0} can use: {1}</source>
      <translation>{0} dùng được: {1}</translation>
    </message>
  </context>
  <context>
    <name>QAbstractFileIconProvider</name>
    <message>
      <source>Drive</source>
      <translation>Ổ đĩa</translation>
    </message>
    <message>
      <source>File</source>
      <translation>Tệp</translation>
    </message>
    <message>
      <source>Folder</source>
      <translation>Thư mục</translation>
    </message>
    <message>
      <source>Unknown</source>
      <translation>Không rõ</translation>
    </message>
  </context>
  <context>
    <name>QDockWidget</name>
    <message>
      <source>Close</source>
      <translation>Đóng</translation>
    </message>
    <message>
      <source>Closes the dock widget</source>
      <translation>Đóng ô này</translation>
    </message>
    <message>
      <source>Float</source>
      <translation>Tách rời</translation>
    </message>
    <message>
      <source>Undocks and re-attaches the dock widget</source>
      <translation>Tách ô này ra hoặc gắn lại</translation>
    </message>
  </context>
  <context>
    <name>QFileDialog</name>
    <message>
      <source>%1
Directory not found.
Please verify the correct directory name was given.</source>
      <translation>%1
Không tìm thấy thư mục.
Hãy kiểm tra lại tên thư mục.</translation>
    </message>
    <message>
      <source>%1
File not found.
Please verify the correct file name was given.</source>
      <translation>%1
Không tìm thấy tệp.
Hãy kiểm tra lại tên tệp.</translation>
    </message>
    <message>
      <source>%1 already exists.
Do you want to replace it?</source>
      <translation>%1 đã tồn tại.
Bạn có muốn thay nó không?</translation>
    </message>
    <message>
      <source>&amp;Choose</source>
      <translation>&amp;Chọn</translation>
    </message>
    <message>
      <source>&amp;Delete</source>
      <translation>&amp;Xóa</translation>
    </message>
    <message>
      <source>&amp;Look in:</source>
      <translation>Tìm t&amp;rong:</translation>
    </message>
    <message>
      <source>&amp;New Folder</source>
      <translation>Thư mục &amp;mới</translation>
    </message>
    <message>
      <source>&amp;Open</source>
      <translation>&amp;Mở</translation>
    </message>
    <message>
      <source>&amp;Rename</source>
      <translation>Đổ&amp;i tên</translation>
    </message>
    <message>
      <source>&amp;Save</source>
      <translation>&amp;Lưu</translation>
    </message>
    <message>
      <source>'%1' is write protected.
Do you want to delete it anyway?</source>
      <translation>'%1' được bảo vệ khỏi ghi.
Bạn vẫn muốn xóa nó chứ?</translation>
    </message>
    <message>
      <source>All Files (*)</source>
      <translation>Mọi tệp (*)</translation>
    </message>
    <message>
      <source>Are you sure you want to delete '%1'?</source>
      <translation>Bạn có chắc muốn xóa '%1' không?</translation>
    </message>
    <message>
      <source>Back</source>
      <translation>Lùi</translation>
    </message>
    <message>
      <source>Change to detail view mode</source>
      <translation>Chuyển sang dạng chi tiết</translation>
    </message>
    <message>
      <source>Change to list view mode</source>
      <translation>Chuyển sang dạng danh sách</translation>
    </message>
    <message>
      <source>Could not delete directory.</source>
      <translation>Không xóa được thư mục.</translation>
    </message>
    <message>
      <source>Create New Folder</source>
      <translation>Tạo thư mục mới</translation>
    </message>
    <message>
      <source>Create a New Folder</source>
      <translation>Tạo một thư mục mới</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>Xóa</translation>
    </message>
    <message>
      <source>Detail View</source>
      <translation>Dạng chi tiết</translation>
    </message>
    <message>
      <source>Directory:</source>
      <translation>Thư mục:</translation>
    </message>
    <message>
      <source>File &amp;name:</source>
      <translation>Tê&amp;n tệp:</translation>
    </message>
    <message>
      <source>Files</source>
      <translation>Các tệp</translation>
    </message>
    <message>
      <source>Files of &amp;type:</source>
      <translation>&amp;Kiểu tệp:</translation>
    </message>
    <message>
      <source>Forward</source>
      <translation>Tiến</translation>
    </message>
    <message>
      <source>Go back</source>
      <translation>Lùi lại</translation>
    </message>
    <message>
      <source>Go forward</source>
      <translation>Tiến tới</translation>
    </message>
    <message>
      <source>Go to the parent directory</source>
      <translation>Lên thư mục cha</translation>
    </message>
    <message>
      <source>List View</source>
      <translation>Dạng danh sách</translation>
    </message>
    <message>
      <source>List of places and bookmarks</source>
      <translation>Danh sách các vị trí và dấu trang</translation>
    </message>
    <message>
      <source>New Folder</source>
      <translation>Thư mục mới</translation>
    </message>
    <message>
      <source>Parent Directory</source>
      <translation>Thư mục cha</translation>
    </message>
    <message>
      <source>Recent Places</source>
      <translation>Vị trí gần đây</translation>
    </message>
    <message>
      <source>Remove</source>
      <translation>Bỏ</translation>
    </message>
    <message>
      <source>Show </source>
      <translation>Hiện </translation>
    </message>
    <message>
      <source>Show &amp;hidden files</source>
      <translation>Hiện tệp ẩ&amp;n</translation>
    </message>
    <message>
      <source>Sidebar</source>
      <translation>Thanh bên</translation>
    </message>
  </context>
  <context>
    <name>QFileSystemModel</name>
    <message>
      <source>Computer</source>
      <translation>Máy tính</translation>
    </message>
    <message>
      <source>Date Modified</source>
      <translation>Ngày sửa</translation>
    </message>
    <message>
      <source>Name</source>
      <translation>Tên</translation>
    </message>
    <message>
      <source>Size</source>
      <translation>Kích thước</translation>
    </message>
    <message>
      <source>Type</source>
      <translation>Loại</translation>
    </message>
  </context>
  <context>
    <name>QLineEdit</name>
    <message>
      <source>&amp;Copy</source>
      <translation>&amp;Sao chép</translation>
    </message>
    <message>
      <source>&amp;Paste</source>
      <translation>&amp;Dán</translation>
    </message>
    <message>
      <source>&amp;Redo</source>
      <translation>&amp;Làm lại</translation>
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation>&amp;Hoàn tác</translation>
    </message>
    <message>
      <source>Cu&amp;t</source>
      <translation>&amp;Cắt</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>Xóa</translation>
    </message>
    <message>
      <source>Select All</source>
      <translation>Chọn tất cả</translation>
    </message>
  </context>
  <context>
    <name>QPlatformTheme</name>
    <message>
      <source>&amp;No</source>
      <translation>&amp;Không</translation>
    </message>
    <message>
      <source>&amp;Yes</source>
      <translation>&amp;Có</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Hủy</translation>
    </message>
    <message>
      <source>Close</source>
      <translation>Đóng</translation>
    </message>
    <message>
      <source>OK</source>
      <translation>OK</translation>
    </message>
    <message>
      <source>Open</source>
      <translation>Mở</translation>
    </message>
    <message>
      <source>Save</source>
      <translation>Lưu</translation>
    </message>
  </context>
  <context>
    <name>QWidgetTextControl</name>
    <message>
      <source>&amp;Copy</source>
      <translation>&amp;Sao chép</translation>
    </message>
    <message>
      <source>&amp;Paste</source>
      <translation>&amp;Dán</translation>
    </message>
    <message>
      <source>&amp;Redo</source>
      <translation>&amp;Làm lại</translation>
    </message>
    <message>
      <source>&amp;Undo</source>
      <translation>&amp;Hoàn tác</translation>
    </message>
    <message>
      <source>Cu&amp;t</source>
      <translation>&amp;Cắt</translation>
    </message>
    <message>
      <source>Delete</source>
      <translation>Xóa</translation>
    </message>
    <message>
      <source>Select All</source>
      <translation>Chọn tất cả</translation>
    </message>
  </context>
  <context>
    <name>RecoveryController</name>
    <message>
      <source>The plan of last time could not be read; it is set aside, not deleted.</source>
      <translation>Không đọc được kế hoạch lần trước; nó được cất riêng chứ không bị xóa.</translation>
    </message>
    <message>
      <source>What you type can not be kept for a restart. Save the plan to a place with room.</source>
      <translation>Những gì bạn nhập không giữ được cho lần khởi động sau. Hãy lưu kế hoạch vào nơi còn chỗ trống.</translation>
    </message>
    <message>
      <source>Your plan of last time is back. File ▸ New plan begins afresh.</source>
      <translation>Kế hoạch lần trước của bạn đã trở lại. Tệp ▸ Kế hoạch mới để bắt đầu lại từ đầu.</translation>
    </message>
  </context>
  <context>
    <name>ReportController</name>
    <message>
      <source>Export cancelled; nothing was written.</source>
      <translation>Đã hủy xuất; không ghi gì cả.</translation>
    </message>
    <message>
      <source>The preview could not be painted; the export may still work.</source>
      <translation>Không vẽ được bản xem trước; vẫn có thể xuất được.</translation>
    </message>
    <message>
      <source>There is no up-to-date answer to report: correct the marked fields on the page Workload.</source>
      <translation>Chưa có câu trả lời mới nhất để báo cáo: hãy sửa các ô được đánh dấu ở trang Công việc.</translation>
    </message>
    <message>
      <source>Written: {0}</source>
      <translation>Đã ghi: {0}</translation>
    </message>
  </context>
  <context>
    <name>ReportPage</name>
    <message>
      <source>&amp;Open plan…</source>
      <translation>Mở &amp;kế hoạch…</translation>
    </message>
    <message>
      <source>&amp;Save plan…</source>
      <translation>&amp;Lưu kế hoạch…</translation>
    </message>
    <message>
      <source>&amp;Title of the report</source>
      <translation>Tiê&amp;u đề báo cáo</translation>
    </message>
    <message>
      <source>All inputs as JSON. Opened again it gives the same numbers; gpu-plan replay checks them.</source>
      <translation>Mọi dữ liệu vào ở dạng JSON. Mở lại sẽ cho đúng các con số ấy; gpu-plan replay kiểm tra chúng.</translation>
    </message>
    <message>
      <source>Cancel</source>
      <translation>Hủy</translation>
    </message>
    <message>
      <source>Export</source>
      <translation>Xuất</translation>
    </message>
    <message>
      <source>Export &amp;PDF…</source>
      <translation>Xuất &amp;PDF…</translation>
    </message>
    <message>
      <source>Export HTM&amp;L…</source>
      <translation>Xuất HT&amp;ML…</translation>
    </message>
    <message>
      <source>For your team to check and sign: verdict, charts, assumptions with their evidence.</source>
      <translation>Để nhóm của bạn kiểm tra và ký: kết luận, biểu đồ, các giả định kèm bằng chứng.</translation>
    </message>
    <message>
      <source>GPU plan</source>
      <translation>Kế hoạch GPU</translation>
    </message>
    <message>
      <source>Not saved yet.</source>
      <translation>Chưa lưu.</translation>
    </message>
    <message>
      <source>Open fol&amp;der</source>
      <translation>Mở thư mụ&amp;c</translation>
    </message>
    <message>
      <source>Page {0} of {1}</source>
      <translation>Trang {0} trên {1}</translation>
    </message>
    <message>
      <source>Plan file</source>
      <translation>Tệp kế hoạch</translation>
    </message>
    <message>
      <source>Preview</source>
      <translation>Xem trước</translation>
    </message>
    <message>
      <source>Preview of the report's pages</source>
      <translation>Xem trước các trang của báo cáo</translation>
    </message>
    <message>
      <source>Progress of the export</source>
      <translation>Tiến độ xuất</translation>
    </message>
    <message>
      <source>Report</source>
      <translation>Báo cáo</translation>
    </message>
    <message>
      <source>There is no up-to-date answer to report yet.</source>
      <translation>Chưa có câu trả lời mới nhất để báo cáo.</translation>
    </message>
    <message>
      <source>Title of the report</source>
      <translation>Tiêu đề báo cáo</translation>
    </message>
  </context>
  <context>
    <name>Results</name>
    <message>
      <source>Data sheet</source>
      <translation>Bảng thông số</translation>
    </message>
    <message>
      <source>Measured</source>
      <translation>Đo được</translation>
    </message>
    <message>
      <source>Probe</source>
      <translation>Phép đo</translation>
    </message>
    <message>
      <source>Run</source>
      <translation>Lượt chạy</translation>
    </message>
    <message>
      <source>Share</source>
      <translation>Tỉ lệ</translation>
    </message>
    <message>
      <source>Size</source>
      <translation>Kích thước</translation>
    </message>
    <message>
      <source>steady</source>
      <translation>ổn định</translation>
    </message>
    <message>
      <source>unstable</source>
      <translation>không ổn định</translation>
    </message>
    <message>
      <source>within 5 %</source>
      <translation>trong vòng 5 %</translation>
    </message>
  </context>
  <context>
    <name>TelemetryCard</name>
    <message>
      <source>Go on</source>
      <translation>Tiếp tục</translation>
    </message>
    <message>
      <source>Live: {0}</source>
      <translation>Trực tiếp: {0}</translation>
    </message>
    <message>
      <source>Memory used</source>
      <translation>Bộ nhớ đã dùng</translation>
    </message>
    <message>
      <source>Pause</source>
      <translation>Tạm dừng</translation>
    </message>
    <message>
      <source>Power</source>
      <translation>Công suất</translation>
    </message>
    <message>
      <source>Stop and go on drawing</source>
      <translation>Dừng vẽ và vẽ tiếp</translation>
    </message>
    <message>
      <source>Temperature</source>
      <translation>Nhiệt độ</translation>
    </message>
    <message>
      <source>Utilisation</source>
      <translation>Mức sử dụng</translation>
    </message>
    <message>
      <source>not reported</source>
      <translation>không báo</translation>
    </message>
  </context>
  <context>
    <name>TelemetryController</name>
    <message>
      <source>Processor</source>
      <translation>Bộ xử lý</translation>
    </message>
  </context>
  <context>
    <name>TourBar</name>
    <message>
      <source>Back</source>
      <translation>Lùi</translation>
    </message>
    <message>
      <source>Choose a model and say how you train it. What you leave alone stays an assumption.</source>
      <translation>Hãy chọn mô hình và cho biết bạn huấn luyện nó thế nào. Ô nào để yên vẫn là giả định.</translation>
    </message>
    <message>
      <source>Done</source>
      <translation>Xong</translation>
    </message>
    <message>
      <source>End the tour</source>
      <translation>Kết thúc hướng dẫn</translation>
    </message>
    <message>
      <source>Fill in a sample</source>
      <translation>Điền kế hoạch mẫu</translation>
    </message>
    <message>
      <source>GPUs, and what they need to work, are found by themselves. Nothing leaves this machine.</source>
      <translation>GPU và những gì chúng cần được tự động tìm thấy. Không có gì rời khỏi máy này.</translation>
    </message>
    <message>
      <source>Give your team the answer as a PDF, and the plan as a file that gives it again.</source>
      <translation>Đưa cho nhóm câu trả lời ở dạng PDF, và kế hoạch ở dạng tệp cho lại đúng câu trả lời ấy.</translation>
    </message>
    <message>
      <source>Next</source>
      <translation>Tiếp</translation>
    </message>
    <message>
      <source>Optional: one button measures the GPU in minutes. Until then its data sheet counts.</source>
      <translation>Không bắt buộc: một nút bấm đo GPU trong vài phút. Trước khi đo thì tính theo bảng thông số.</translation>
    </message>
    <message>
      <source>The sentence on top says what to do. Each number is a range; click an option to see it.</source>
      <translation>Câu trên cùng nói phải làm gì. Mỗi con số là một khoảng; bấm vào một phương án để xem nó.</translation>
    </message>
    <message>
      <source>Tour</source>
      <translation>Hướng dẫn nhanh</translation>
    </message>
    <message>
      <source>{0} of {1}</source>
      <translation>{0} trên {1}</translation>
    </message>
  </context>
  <context>
    <name>Trace</name>
    <message>
      <source>peak {0}</source>
      <translation>đỉnh {0}</translation>
    </message>
  </context>
  <context>
    <name>VerdictStrip</name>
    <message>
      <source>Best choice in</source>
      <translation>Tốt nhất trong</translation>
    </message>
    <message>
      <source>Cost</source>
      <translation>Chi phí</translation>
    </message>
    <message>
      <source>Measure first – present favourite: {0}</source>
      <translation>Hãy đo trước – hiện nghiêng về {0}</translation>
    </message>
    <message>
      <source>No answer yet</source>
      <translation>Chưa có câu trả lời</translation>
    </message>
    <message>
      <source>No option can do this job as described</source>
      <translation>Không phương án nào làm được công việc như mô tả</translation>
    </message>
    <message>
      <source>Not for what is typed now: {0}</source>
      <translation>Không ứng với những gì đang nhập: {0}</translation>
    </message>
    <message>
      <source>Rent {0}</source>
      <translation>Thuê {0}</translation>
    </message>
    <message>
      <source>Stay on this machine</source>
      <translation>Ở lại với máy này</translation>
    </message>
    <message>
      <source>The first answer is being worked out.</source>
      <translation>Đang tính câu trả lời đầu tiên.</translation>
    </message>
    <message>
      <source>Time to the result</source>
      <translation>Thời gian có kết quả</translation>
    </message>
    <message>
      <source>of simulated cases</source>
      <translation>trường hợp mô phỏng</translation>
    </message>
    <message>
      <source>out of date</source>
      <translation>đã cũ</translation>
    </message>
    <message>
      <source>{0} – nothing else is clearly better</source>
      <translation>{0} – không có gì khác tốt hơn rõ rệt</translation>
    </message>
  </context>
  <context>
    <name>WhatIfCard</name>
    <message>
      <source>&amp;Change</source>
      <translation>Th&amp;ay đổi</translation>
    </message>
    <message>
      <source>Being worked out…</source>
      <translation>Đang tính…</translation>
    </message>
    <message>
      <source>Input to change</source>
      <translation>Đại lượng thay đổi</translation>
    </message>
    <message>
      <source>Value looked at</source>
      <translation>Giá trị đang xem</translation>
    </message>
    <message>
      <source>What if</source>
      <translation>Nếu như</translation>
    </message>
  </context>
  <context>
    <name>WorkloadForm</name>
    <message>
      <source>&amp;Batch size per GPU</source>
      <translation>Kích thước &amp;batch mỗi GPU</translation>
    </message>
    <message>
      <source>&amp;Data-set size</source>
      <translation>Kích thước dữ &amp;liệu</translation>
    </message>
    <message>
      <source>&amp;Samples per epoch</source>
      <translation>Số &amp;mẫu mỗi epoch</translation>
    </message>
    <message>
      <source>&amp;With more GPUs keep</source>
      <translation>Khi thêm GPU, giữ ngu&amp;yên</translation>
    </message>
    <message>
      <source>0.25 s, 250 ms: the rented step follows from it</source>
      <translation>0.25 s, 250 ms: bước trên máy thuê suy ra từ đó</translation>
    </message>
    <message>
      <source>1.2M, 50k</source>
      <translation>1.2M, 50k</translation>
    </message>
    <message>
      <source>150 GB, 800 MiB</source>
      <translation>150 GB, 800 MiB</translation>
    </message>
    <message>
      <source>36 h, 2d 6h, 90 min</source>
      <translation>36 h, 2d 6h, 90 min (h giờ, d ngày)</translation>
    </message>
    <message>
      <source>Activation chec&amp;kpointing</source>
      <translation>Activation chec&amp;kpointing</translation>
    </message>
    <message>
      <source>B&amp;udget, USD</source>
      <translation>Ngân sá&amp;ch, USD</translation>
    </message>
    <message>
      <source>Bandwidth between GPUs, GB/s</source>
      <translation>Băng thông giữa các GPU, GB/s</translation>
    </message>
    <message>
      <source>Collected in</source>
      <translation>Thu thập tại</translation>
    </message>
    <message>
      <source>Cost of being late, USD</source>
      <translation>Chi phí khi trễ hạn, USD</translation>
    </message>
    <message>
      <source>Cost of wa&amp;iting, USD/h</source>
      <translation>Chi &amp;phí chờ, USD/giờ</translation>
    </message>
    <message>
      <source>Data</source>
      <translation>Dữ liệu</translation>
    </message>
    <message>
      <source>Deadli&amp;ne, from now</source>
      <translation>Hạn chót, kể từ n&amp;ay</translation>
    </message>
    <message>
      <source>Epo&amp;chs</source>
      <translation>Số &amp;epoch</translation>
    </message>
    <message>
      <source>Execution</source>
      <translation>Cách thực thi</translation>
    </message>
    <message>
      <source>Image size</source>
      <translation>Kích thước ảnh</translation>
    </message>
    <message>
      <source>Image size or sequence length</source>
      <translation>Kích thước ảnh hoặc độ dài chuỗi</translation>
    </message>
    <message>
      <source>Image size, pixels</source>
      <translation>Kích thước ảnh, pixel</translation>
    </message>
    <message>
      <source>Keep small</source>
      <translation>Giữ nhỏ nhất</translation>
    </message>
    <message>
      <source>Memory forma&amp;t</source>
      <translation>Định &amp;dạng bộ nhớ</translation>
    </message>
    <message>
      <source>One step here, if you timed it</source>
      <translation>Một bước ở đây, nếu bạn đã đo</translation>
    </message>
    <message>
      <source>Opti&amp;mizer</source>
      <translation>Bộ tối ư&amp;u</translation>
    </message>
    <message>
      <source>P&amp;recision</source>
      <translation>Độ chí&amp;nh xác số học</translation>
    </message>
    <message>
      <source>Rented cards have</source>
      <translation>Các card thuê có</translation>
    </message>
    <message>
      <source>Rented system</source>
      <translation>Hệ điều hành máy thuê</translation>
    </message>
    <message>
      <source>Renting</source>
      <translation>Thuê</translation>
    </message>
    <message>
      <source>Runs</source>
      <translation>Số lần chạy</translation>
    </message>
    <message>
      <source>Sequence length, tokens</source>
      <translation>Độ dài chuỗi, token</translation>
    </message>
    <message>
      <source>Tax, %</source>
      <translation>Thuế, %</translation>
    </message>
    <message>
      <source>The data is</source>
      <translation>Dữ liệu thuộc loại</translation>
    </message>
    <message>
      <source>Time and money</source>
      <translation>Thời gian và tiền</translation>
    </message>
    <message>
      <source>Training</source>
      <translation>Huấn luyện</translation>
    </message>
    <message>
      <source>Training a month, hours</source>
      <translation>Huấn luyện mỗi tháng, giờ</translation>
    </message>
    <message>
      <source>Upl&amp;oad, Mbit/s</source>
      <translation>Đường t&amp;ruyền lên, Mbit/s</translation>
    </message>
    <message>
      <source>Volume size, voxels</source>
      <translation>Kích thước khối, voxel</translation>
    </message>
    <message>
      <source>a connection not known</source>
      <translation>kết nối chưa biết</translation>
    </message>
    <message>
      <source>an NVLink bridge</source>
      <translation>cầu NVLink</translation>
    </message>
    <message>
      <source>channels last (NHWC)</source>
      <translation>channels last (NHWC)</translation>
    </message>
    <message>
      <source>contiguous (NCHW)</source>
      <translation>contiguous (NCHW)</translation>
    </message>
    <message>
      <source>country of personal data: VN, DE, …</source>
      <translation>quốc gia của dữ liệu cá nhân: VN, DE, …</translation>
    </message>
    <message>
      <source>eager – PyTorch's default</source>
      <translation>eager – mặc định của PyTorch</translation>
    </message>
    <message>
      <source>empty: late is ruled out</source>
      <translation>để trống: loại phương án trễ hạn</translation>
    </message>
    <message>
      <source>few or shared PCIe lanes</source>
      <translation>ít làn PCIe hoặc dùng chung</translation>
    </message>
    <message>
      <source>for this job</source>
      <translation>cho công việc này</translation>
    </message>
    <message>
      <source>full – least memory</source>
      <translation>toàn bộ – ít bộ nhớ nhất</translation>
    </message>
    <message>
      <source>high</source>
      <translation>cao</translation>
    </message>
    <message>
      <source>internal</source>
      <translation>nội bộ</translation>
    </message>
    <message>
      <source>likely</source>
      <translation>giữa</translation>
    </message>
    <message>
      <source>low</source>
      <translation>thấp</translation>
    </message>
    <message>
      <source>low, likely, high</source>
      <translation>thấp, khả năng nhất, cao</translation>
    </message>
    <message>
      <source>none</source>
      <translation>không có</translation>
    </message>
    <message>
      <source>none – fastest</source>
      <translation>không – nhanh nhất</translation>
    </message>
    <message>
      <source>not said</source>
      <translation>không nêu</translation>
    </message>
    <message>
      <source>not timed</source>
      <translation>chưa đo</translation>
    </message>
    <message>
      <source>of all who wait</source>
      <translation>của mọi người phải chờ</translation>
    </message>
    <message>
      <source>of the rented host; empty: not known</source>
      <translation>của máy thuê; để trống: chưa biết</translation>
    </message>
    <message>
      <source>on the seller's bill</source>
      <translation>trên hóa đơn của bên cho thuê</translation>
    </message>
    <message>
      <source>own PCIe lanes each</source>
      <translation>làn PCIe riêng cho mỗi card</translation>
    </message>
    <message>
      <source>personal</source>
      <translation>cá nhân</translation>
    </message>
    <message>
      <source>public</source>
      <translation>công khai</translation>
    </message>
    <message>
      <source>regulated</source>
      <translation>được pháp luật quản lý</translation>
    </message>
    <message>
      <source>the batch of all GPUs</source>
      <translation>batch của tất cả GPU</translation>
    </message>
    <message>
      <source>the batch of each GPU</source>
      <translation>batch của mỗi GPU</translation>
    </message>
    <message>
      <source>the cost</source>
      <translation>chi phí</translation>
    </message>
    <message>
      <source>the time</source>
      <translation>thời gian</translation>
    </message>
    <message>
      <source>to compare with buying a card</source>
      <translation>để so với việc mua card</translation>
    </message>
    <message>
      <source>torch.compile</source>
      <translation>torch.compile</translation>
    </message>
    <message>
      <source>with other settings, as in a sweep</source>
      <translation>với thiết lập khác, như khi dò tham số</translation>
    </message>
    <message>
      <source>{0} to {1}</source>
      <translation>{0} đến {1}</translation>
    </message>
  </context>
  <context>
    <name>WorkloadPage</name>
    <message>
      <source>&amp;Job</source>
      <translation>Mô tả công &amp;việc</translation>
    </message>
    <message>
      <source>&amp;Prices</source>
      <translation>Bảng g&amp;iá</translation>
    </message>
    <message>
      <source>Describe the job. What you leave alone stays an assumption; the answer follows as you type.</source>
      <translation>Hãy mô tả công việc. Ô nào để yên vẫn là giả định; câu trả lời đổi theo khi bạn gõ.</translation>
    </message>
    <message>
      <source>Parts of the workload</source>
      <translation>Các phần của công việc</translation>
    </message>
    <message>
      <source>Workload</source>
      <translation>Công việc</translation>
    </message>
  </context>
</TS>
